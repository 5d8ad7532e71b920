/**
 * Characters that change what a person sees around them, or cannot be seen: control characters (terminal escapes among them), marks
 * that change the direction of text, and zero-width characters. Global: for `replaceAll`.
 */
export const unsafeCharacters = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

/** The same, and halves of surrogate pairs, which are no text; without the characters that part lines and columns. */
const refused =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

/** What a text is answered with that has such characters. */
export const unsafeSentence = 'This has characters that cannot be seen. Type it instead of pasting it.'

/** Whether a text that comes in has characters that we refuse, before they reach SQL or a page. It may have several lines. */
export const isUnsafe = (text: string): boolean => refused.test(text)

/** The same for a text of one line. */
export const isUnsafeLine = (text: string): boolean => refused.test(text) || /[\t\n\r]/.test(text)

/**
 * Characters that change what a person sees around them, or cannot be seen: control characters (terminal escapes among them), marks
 * that change the direction of text, and zero-width characters. Global: for `replaceAll`.
 */
export const unsafeCharacters = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

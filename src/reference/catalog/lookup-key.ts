/**
 * The form in which tickers, network codes and categories are looked up: partners write them in any letter case.
 * Anything but ASCII letters, digits and `_` can not be one, and becomes `''` before Unicode case folding could make
 * it one (`'ı'` upper-cases to `I`).
 */
export const lookupKey = (text: string): string => (/^\w{1,32}$/.test(text) ? text.toUpperCase() : '')

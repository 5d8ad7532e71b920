/** Reads a secret of printable characters. A refusal does not repeat it. */
export function secret(text: string): string {
  if (!/^[\x21-\x7e]{8,512}$/.test(text)) {
    throw new RangeError('is not a secret of 8 to 512 printable characters without spaces (not shown)')
  }
  return text
}

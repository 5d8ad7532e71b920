/** Reads a secret of printable characters. Errors never repeat it. */
export function secret(text: string): string {
  if (!/^[\x21-\x7e]{8,512}$/.test(text)) {
    throw new RangeError('must have 8 to 512 printable characters without spaces (not shown)')
  }
  return text
}

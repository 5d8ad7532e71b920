/** Many byte strings as one, and where in it each of them ends. What is told to another thread costs by the piece, not by its size. */
export type Joined = { bytes: Uint8Array; ends: Uint32Array }

/** Joins byte strings. */
export function joined(parts: readonly Uint8Array[]): Joined {
  const ends = new Uint32Array(parts.length)
  let end = 0
  for (const [index, part] of parts.entries()) {
    end += part.length
    ends[index] = end
  }
  return { bytes: Buffer.concat(parts, end), ends }
}

/** Gives the byte strings that were joined, none of them copied. */
export function parted({ bytes, ends }: Joined): Buffer[] {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Array.from(ends, (end, index) => all.subarray(ends[index - 1] ?? 0, end))
}

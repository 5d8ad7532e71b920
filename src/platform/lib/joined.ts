/** Many byte strings as one, and where each ends. Messages to another thread cost per object, not by size. */
export type Joined = { bytes: Uint8Array; ends: Uint32Array }

export function joined(parts: readonly Uint8Array[]): Joined {
  const ends = new Uint32Array(parts.length)
  let end = 0
  for (const [index, part] of parts.entries()) {
    end += part.length
    ends[index] = end
  }
  return { bytes: Buffer.concat(parts, end), ends }
}

/** The joined byte strings, without copying. */
export function parted({ bytes, ends }: Joined): Buffer[] {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Array.from(ends, (end, index) => all.subarray(ends[index - 1] ?? 0, end))
}

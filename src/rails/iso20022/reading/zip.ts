import { inflateRawSync } from 'node:zlib'

import { FileFault } from '../file-fault.ts'

/** More than any statement of an account like ours; a small archive may expand to far more. */
const largest = 256 * 1024 * 1024
const most = 500

/** Whether bytes begin as those of a ZIP archive do. */
export const isZip = (start: Buffer): boolean => start.subarray(0, 4).equals(Buffer.from('PK\u0003\u0004', 'latin1'))

/** The files of a ZIP archive in their order, without folders. Refuses what is damaged, encrypted or expands to too much. */
export function unzip(bytes: Buffer): { name: string; bytes: Buffer }[] {
  try {
    return filesIn(bytes)
  } catch (error) {
    if (error instanceof FileFault) throw error
    throw new FileFault('The ZIP archive cannot be read.', { isIncomplete: true })
  }
}

function filesIn(bytes: Buffer): { name: string; bytes: Buffer }[] {
  const end = bytes.lastIndexOf(Buffer.from('PK\u0005\u0006', 'latin1'))
  if (end === -1) throw new FileFault('The ZIP archive ends too early.', { isIncomplete: true })
  const count = bytes.readUInt16LE(end + 10)
  if (count > most) throw new FileFault('The ZIP archive has too many files.')
  let at = bytes.readUInt32LE(end + 16)
  let left = largest
  const files: { name: string; bytes: Buffer }[] = []
  for (let index = 0; index < count; index += 1) {
    if (bytes.readUInt32LE(at) !== 0x02014b50) throw new FileFault('The ZIP archive is damaged.')
    const [flags, method] = [bytes.readUInt16LE(at + 8), bytes.readUInt16LE(at + 10)]
    const [packed, size] = [bytes.readUInt32LE(at + 20), bytes.readUInt32LE(at + 24)]
    const lengths = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset))
    const [named = 0] = lengths
    const name = bytes.subarray(at + 46, at + 46 + named).toString('utf8')
    const local = bytes.readUInt32LE(at + 42)
    at += 46 + lengths.reduce((sum, one) => sum + one, 0)
    if (name.endsWith('/')) continue
    if ((flags & 1) === 1 || (method !== 0 && method !== 8))
      throw new FileFault('The ZIP archive is encrypted or unusual.')
    if (size > left) throw new FileFault('The ZIP archive expands to too much.')
    left -= size
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
    const content = bytes.subarray(start, start + packed)
    const whole = method === 0 ? content : inflateRawSync(content, { maxOutputLength: Math.max(size, 1) })
    if (whole.length !== size) throw new FileFault('The ZIP archive is damaged.')
    files.push({ name, bytes: whole })
  }
  return files
}

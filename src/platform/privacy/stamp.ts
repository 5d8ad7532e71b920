import { createHmac, timingSafeEqual } from 'node:crypto'

/** A keyed hash of what the service writes down, as the proof that it did: the database alone is not enough to make one. */
export const stampText = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** Whether a stamp that was read is the one that the service would make. */
export const isSameStamp = (read: Buffer | null, made: Buffer): boolean =>
  read !== null && read.length === made.length && timingSafeEqual(read, made)

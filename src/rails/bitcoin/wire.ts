import { createHash } from 'node:crypto'

import { Nonsense } from '../json-rpc.ts'

/**
 * The bytes of blocks and transfers, as nodes hand them out. Everything that decides about money is read from these bytes, and their
 * hashes are computed here: what a node says about them is not used.
 */
export type Transfer = {
  /** The double SHA-256 of the transfer without its witness, in the usual reversed hex. */
  txid: string
  inputs: { txid: string; vout: number; script: Buffer; witness: Buffer[] }[]
  /** `script` is hex. */
  outputs: { script: string; amount: bigint }[]
  isCoinbase: boolean
}

/** A block whose header, merkle root and transfers belong together. */
export type Block = { hash: string; parent: string; transfers: Transfer[] }

const noTransfer = '0'.repeat(64)
/** A block of any of these chains has at most 32 MB. */
const mostItems = 1_000_000

/** Takes bytes from the front; never beyond the end. */
function openReader(bytes: Buffer) {
  let at = 0
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new Nonsense('The bytes of a node end too early.')
    at += length
    return bytes.subarray(at - length, at)
  }
  const u32 = (): number => take(4).readUInt32LE()
  const u64 = (): bigint => take(8).readBigUInt64LE()
  /** A count or a length (CompactSize). */
  const size = (): number => {
    const first = take(1).readUInt8()
    if (first < 0xfd) return first
    const wide = first === 0xfd ? BigInt(take(2).readUInt16LE()) : first === 0xfe ? BigInt(u32()) : u64()
    if (wide > BigInt(bytes.length)) throw new Nonsense('A length in the bytes of a node is too large.')
    return Number.parseInt(String(wide), 10)
  }
  return {
    bytes,
    at: () => at,
    take,
    u8: () => take(1).readUInt8(),
    u32,
    u64,
    hash: () => reversed(take(32)),
    script: () => take(size()),
    many: <Item>(read: () => Item): Item[] => {
      const count = size()
      if (count > mostItems) throw new Nonsense('A list in the bytes of a node is too long.')
      return Array.from({ length: count }, read)
    },
  }
}

type Reader = ReturnType<typeof openReader>

const doubleSha = (bytes: Buffer): Buffer =>
  createHash('sha256').update(createHash('sha256').update(bytes).digest()).digest()
const reversed = (bytes: Buffer): string => Buffer.from(bytes.toReversed()).toString('hex')

/** Reads one transfer; refuses bytes behind it. */
export function readTransfer(hex: string): Transfer {
  const reader = openReader(bytesOf(hex))
  const transfer = transferFrom(reader)
  if (reader.at() !== reader.bytes.length) throw new Nonsense('A node sent bytes behind a transfer.')
  return transfer
}

/**
 * Reads a block and proves that it is what its header says: the header hashes to `hash`, and the transfers to the header's merkle
 * root. What may follow the transfers (Litecoin's extension block) is not read: its coins are not on our addresses.
 */
export function readBlock(hex: string, hash: string, { hasAuxPow }: { hasAuxPow: boolean }): Block {
  const reader = openReader(bytesOf(hex))
  const header = reader.take(80)
  if (reversed(doubleSha(header)) !== hash) throw new Nonsense('A node sent another block than was asked for.')
  if (hasAuxPow && (header.readUInt32LE(0) & 0x100) !== 0) skipAuxPow(reader)
  const transfers = reader.many(() => transferFrom(reader))
  if (merkleRoot(transfers.map(({ txid }) => txid)) !== reversed(header.subarray(36, 68))) {
    throw new Nonsense('A node sent a block with other transfers than its header says.')
  }
  return { hash, parent: reversed(header.subarray(4, 36)), transfers }
}

function bytesOf(hex: string): Buffer {
  // A group that repeats overflows the stack of a regular expression on a block of megabytes.
  if (typeof hex !== 'string' || hex === '' || hex.length % 2 === 1 || /[^0-9a-f]/i.test(hex))
    throw new Nonsense('A node sent something else than bytes.')
  return Buffer.from(hex, 'hex')
}

function transferFrom(reader: Reader): Transfer {
  const start = reader.at()
  reader.take(4)
  // A count of zero inputs is the mark of the longer form (BIP-144); the flag's other bits are Litecoin's.
  const hasFlag = reader.bytes[reader.at()] === 0
  const flag = hasFlag ? reader.take(2).readUInt8(1) : 0
  const bodyStart = reader.at()
  const inputs = reader.many(() => {
    const input = { txid: reader.hash(), vout: reader.u32(), script: reader.script(), witness: [] as Buffer[] }
    reader.u32()
    return input
  })
  const outputs = reader.many(() => ({ amount: reader.u64(), script: reader.script().toString('hex') }))
  const bodyEnd = reader.at()
  if ((flag & 1) !== 0) for (const input of inputs) input.witness = reader.many(() => reader.script())
  // The transfer that closes Litecoin's extension block carries an empty one.
  if ((flag & 8) !== 0 && reader.u8() !== 0) throw new Nonsense('A node sent a transfer of an extension block.')
  const lockTime = reader.take(4)
  const body = Buffer.concat([
    reader.bytes.subarray(start, start + 4),
    reader.bytes.subarray(bodyStart, bodyEnd),
    lockTime,
  ])
  const isCoinbase = inputs.length === 1 && inputs[0]?.txid === noTransfer
  return { txid: reversed(doubleSha(body)), inputs, outputs, isCoinbase }
}

/** The parent chain's coinbase, its branch, the chain's branch and the parent's header (merged mining). */
function skipAuxPow(reader: Reader): void {
  transferFrom(reader)
  reader.take(32)
  for (let branch = 0; branch < 2; branch += 1) {
    reader.many(() => reader.take(32))
    reader.take(4)
  }
  reader.take(80)
}

/**
 * The merkle root of a block's transfers. Refuses two equal neighbors, from which the same root can be made with a transfer
 * counted twice (CVE-2012-2459).
 */
function merkleRoot(txids: string[]): string {
  let level: Buffer[] = txids.map((txid) => Buffer.from(Buffer.from(txid, 'hex').toReversed()))
  while (level.length > 1) {
    const next: Buffer[] = []
    for (let at = 0; at < level.length; at += 2) {
      const left = level[at] as Buffer
      const right = level[at + 1]
      if (right?.equals(left)) throw new Nonsense('A node sent a block that counts a transfer twice.')
      next.push(doubleSha(Buffer.concat([left, right ?? left])))
    }
    level = next
  }
  return reversed(level[0] ?? Buffer.alloc(32))
}

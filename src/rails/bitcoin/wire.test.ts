import { Nonsense } from '../json-rpc.ts'
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'

import fc from 'fast-check'

import { readBlock, readTransfer } from './wire.ts'
import { promised } from '../../../test/support/promised.ts'

/** Bitcoin's first block. */
const genesis = {
  hash: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
  transfer: '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b',
  header:
    '0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c',
  body: '0101000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d0104455468652054696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f722062616e6b73ffffffff0100f2052a01000000434104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000',
}
const plain = { hasAuxPow: false }

/** The second example of BIP-143: a P2PK and a P2WPKH input, signed. */
const witnessed =
  '01000000000102fff7f7881a8099afa6940d42d1e7f6362bec38171ea3edf433541db4e4ad969f00000000494830450221008b9d1dc26ba6a9cb62127b02742fa9d754cd3bebf337f7a55d114c8e5cdd30be022040529b194ba3f9281a99f2b1c0a19c0489bc22ede944ccf4ecbab4cc618ef3ed01eeffffffef51e1b804cc89d182d279655c3aa89e815b1b309fe287d9b2b55d57b90ec68a0100000000ffffffff02202cb206000000001976a9148280b37df378db99f66f85c95a783a76ac7a6d5988ac9093510d000000001976a9143bde42dbee7e4dbe6a21b2d50ce2f0167faa815988ac000247304402203609e17b84f6a7d30c80bfa610b5b4542f32a8a0d5447a12fb1366d7f01cc44a0220573a954c4518331561406f90300e8f3358f51928d43c212a8caed02de67eebee0121025476c2e83188368da1ff3e292e7acafcdb3566bb0ad253f62fc70f07aeee635711000000'

const doubleSha = (bytes: Buffer): Buffer =>
  createHash('sha256').update(createHash('sha256').update(bytes).digest()).digest()
const reversed = (bytes: Buffer): string => Buffer.from(bytes.toReversed()).toString('hex')

describe('the bytes of nodes', () => {
  it('are read as blocks: the first block of Bitcoin', () => {
    const { parent, transfers } = readBlock(genesis.header + genesis.body, genesis.hash, plain)
    assert.equal(parent, '0'.repeat(64))
    assert.deepEqual(
      transfers.map(({ txid, isCoinbase, outputs }) => [txid, isCoinbase, outputs.map(({ amount }) => amount)]),
      [[genesis.transfer, true, [5_000_000_000n]]],
    )
  })

  it('are read as transfers: the id leaves out the witness', () => {
    const { txid, inputs, outputs } = readTransfer(witnessed)
    assert.deepEqual(
      inputs.map(({ witness }) => witness.length),
      [0, 2],
    )
    assert.deepEqual(
      outputs.map(({ amount }) => amount),
      [112_340_000n, 223_450_000n],
    )
    const body = witnessed.replace('01000000000102', '0100000002').replace(/000247304402[0-9a-f]+$/, '11000000')
    assert.equal(txid, reversed(doubleSha(Buffer.from(body, 'hex'))))
  })

  it('with another header, another transfer, an end too early or more behind are nonsense', () => {
    const whole = genesis.header + genesis.body
    const wrong: [string, RegExp][] = [
      [`02${whole.slice(2)}`, /another block than was asked for/],
      [whole.replace('00f2052a01', '01f2052a01'), /other transfers than its header says/],
      [whole.slice(0, -2), /end too early/],
      ['', /something else than bytes/],
      ['zz', /something else than bytes/],
    ]
    for (const [bytes, sentence] of wrong) assert.throws(() => readBlock(bytes, genesis.hash, plain), sentence)
    assert.throws(() => readTransfer(`${witnessed}00`), /bytes behind a transfer/)
  })

  it('that count a transfer twice have the same merkle root, and are nonsense', () => {
    const transfer = genesis.body.slice(2)
    const leaf = Buffer.from(Buffer.from(genesis.transfer, 'hex').toReversed())
    const root = doubleSha(Buffer.concat([leaf, leaf]))
    const header = Buffer.from(genesis.header, 'hex')
    root.copy(header, 36)
    const block = `${header.toString('hex')}02${transfer}${transfer}`
    assert.throws(() => readBlock(block, reversed(doubleSha(header)), plain), /counts a transfer twice/)
  })

  it('of merged mining are skipped: the proof of the parent chain behind the header', () => {
    const header = Buffer.from(genesis.header, 'hex')
    header.writeUInt32LE(0x00620104, 0)
    const branch = `02${'ab'.repeat(64)}01000000`
    const proof = `${genesis.body.slice(2)}${'cd'.repeat(32)}${branch}${branch}${'ef'.repeat(80)}`
    const block = header.toString('hex') + proof + genesis.body
    const hash = reversed(doubleSha(header))
    const read = readBlock(block, hash, { hasAuxPow: true })
    assert.deepEqual(
      read.transfers.map(({ txid }) => txid),
      [genesis.transfer],
    )
    assert.throws(() => readBlock(block, hash, plain), Nonsense)
  })

  it('of an extension block behind the transfers are not read', () => {
    const { transfers } = readBlock(`${genesis.header}${genesis.body}01${'ab'.repeat(500)}`, genesis.hash, plain)
    assert.equal(transfers.length, 1)
  })

  it('of a transfer that closes an extension block have its flag and nothing in it', () => {
    const [version, rest] = [genesis.body.slice(2, 10), genesis.body.slice(10, -8)]
    const { txid } = readTransfer(`${version}0008${rest}0000000000`)
    assert.equal(txid, genesis.transfer)
    assert.throws(() => readTransfer(`${version}0008${rest}0100000000`), /extension block/)
  })

  it('whatever they are, are read or refused, at once', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 400 }), (bytes) => {
        const hex = Buffer.from(bytes).toString('hex')
        for (const read of [() => readTransfer(hex), () => readBlock(hex, genesis.hash, { hasAuxPow: true })]) {
          try {
            read()
          } catch (error) {
            assert(error instanceof Nonsense)
          }
        }
      }),
      { numRuns: 2_000 },
    )
  })

  it('of a full block, with 4,000 transfers, are read in little time', () => {
    const transfer = readTransfer(witnessed)
    let level: Buffer[] = Array.from({ length: 4_000 }, (_, index) => {
      const bytes = Buffer.from(witnessed, 'hex')
      bytes.writeUInt32LE(index, bytes.length - 4)
      return bytes
    })
    const bodies = Buffer.concat(level)
    level = level.map((bytes) => Buffer.from(Buffer.from(readTransfer(bytes.toString('hex')).txid, 'hex').toReversed()))
    while (level.length > 1) {
      level = Array.from({ length: Math.ceil(level.length / 2) }, (_, at) =>
        doubleSha(
          Buffer.concat([level[2 * at] ?? Buffer.alloc(0), level[2 * at + 1] ?? level[2 * at] ?? Buffer.alloc(0)]),
        ),
      )
    }
    const header = Buffer.from(genesis.header, 'hex')
    level[0]?.copy(header, 36)
    const block = `${header.toString('hex')}fda00f${bodies.toString('hex')}`
    const before = performance.now()
    const { transfers } = readBlock(block, reversed(doubleSha(header)), plain)
    assert(performance.now() - before < promised(5_000))
    assert.equal(transfers.length, 4_000)
    assert.equal(transfers[0]?.outputs.length, transfer.outputs.length)
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { kindsOf, nextReference, paid } from '../../../../test/support/bank-session.ts'
import { type BankWorld, openBankWorld } from '../../../../test/support/bank-world.ts'
import { camt } from '../../../../test/support/camt.ts'
import { findingsOf } from '../findings.ts'
import { bankRail } from '../rails.ts'
import { missingNumbers } from '../troubles.ts'

/** Three pages of statement 2, each with one payment; the account held nothing before. */
const pagesOf = (references: readonly string[]): string[] =>
  references.map((reference, index) => {
    const isLast = index === references.length - 1
    const text = camt({
      id: 'S-2',
      number: 2,
      date: '2026-03-03',
      opening: `${index * 100}.00`,
      closing: `${(index + 1) * 100}.00`,
      entries: [paid(reference, { servicerReference: `PAGE-${index}` })],
      extra: `<StmtPgntn><PgNb>${index + 1}</PgNb><LastPgInd>${isLast}</LastPgInd></StmtPgntn>`,
    })
    return isLast ? text : text.replace('>CLBD<', '>ITBD<')
  })

async function withBank(work: (world: BankWorld) => Promise<void>): Promise<void> {
  const world = await openBankWorld()
  try {
    world.outside.drop('first.xml', camt({ id: 'S-1', number: 1, opening: '0.00', closing: '0.00', entries: [] }))
    await world.round()
    await work(world)
  } finally {
    await world.close()
  }
}

const heldAt = ({ bank }: BankWorld): Promise<bigint> => bankRail(bank).balance('EUR-EUR')
const missingAt = async ({ ctx }: BankWorld): Promise<string[]> =>
  (await missingNumbers(ctx.db, new Date('2100-01-01'))).map(({ first, last }) => `${first}-${last}`)
let count = 0
const send = async (world: BankWorld, text: string | undefined): Promise<string[]> => {
  world.outside.drop(`page-${(count += 1)}.xml`, text ?? assert.fail())
  return kindsOf(await world.round())
}

describe('the pages of a statement', () => {
  for (const order of [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ])
    it(`are booked once each, in the order ${order.map((index) => index + 1).join(', ')}, and again when they are sent again`, () =>
      withBank(async (world) => {
        const pages = pagesOf([nextReference(), nextReference(), nextReference()])
        const events: string[] = []
        for (const index of order) events.push(...(await send(world, pages[index])))
        assert.deepEqual(events, ['deposit_final', 'deposit_final', 'deposit_final'])
        assert.equal(await heldAt(world), 30_000n)
        for (const page of pages) assert.deepEqual(await send(world, page.replaceAll('S-2', 'AGAIN')), [])
        assert.deepEqual([await heldAt(world), await missingAt(world), await findingsOf(world.bank)], [30_000n, [], []])
      }))

  it('begin an account with the first one, even if another one comes before it and statements have no numbers', async () => {
    const world = await openBankWorld()
    const plain = (text: string | undefined) => text?.replace(/<ElctrncSeqNb>2<.ElctrncSeqNb>/, '')
    try {
      const [first, last] = pagesOf([nextReference(), nextReference()]).map(plain)
      assert.deepEqual(await send(world, last), [])
      assert.deepEqual(await send(world, first), ['deposit_final', 'deposit_final'])
      assert.deepEqual([await heldAt(world), await findingsOf(world.bank)], [20_000n, []])
    } finally {
      await world.close()
    }
  })

  it('leave a gap where one of them is missing, until it comes', () =>
    withBank(async (world) => {
      const [first, second, third] = pagesOf([nextReference(), nextReference(), nextReference()])
      await send(world, first)
      assert.deepEqual(await missingAt(world), [], 'the others are on their way')
      assert.deepEqual(await send(world, third), [])
      assert.deepEqual(await missingAt(world), ['2-2'])
      assert.equal((await send(world, second)).length, 2)
      assert.deepEqual([await heldAt(world), await missingAt(world)], [30_000n, []])
    }))

  it('leave a gap where the last one is missing and the next statement has come', () =>
    withBank(async (world) => {
      const [first, last] = pagesOf([nextReference(), nextReference()])
      await send(world, first)
      const next = camt({ id: 'S-3', number: 3, date: '2026-03-04', opening: '200.00', closing: '200.00', entries: [] })
      assert.deepEqual(await send(world, next), [])
      assert.deepEqual(await missingAt(world), ['2-2'])
      assert.equal((await send(world, last)).length, 1)
      assert.deepEqual([await heldAt(world), await missingAt(world)], [20_000n, []])
    }))

  it('lack no booking before the last one has come', () =>
    withBank(async (world) => {
      const references = [nextReference(), nextReference(), nextReference()]
      const [first, second, third] = pagesOf(references)
      const notice = paid(references[2] ?? '', { servicerReference: 'PAGE-2' })
      await send(world, camt({ kind: '054', id: 'N-1', date: '2026-03-03', entries: [notice] }))
      for (const page of [first, second]) {
        await send(world, page)
        assert.deepEqual(await findingsOf(world.bank), [])
      }
      assert.deepEqual(await send(world, third), [])
      assert.deepEqual([await heldAt(world), await findingsOf(world.bank)], [30_000n, []])
    }))
})

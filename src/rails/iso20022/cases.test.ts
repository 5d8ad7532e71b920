import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

import { kindsOf, nextReference } from '../../../test/support/bank-session.ts'
import { type BankWorld, openBankWorld } from '../../../test/support/bank-world.ts'
import { ourIban } from '../../../test/support/camt.ts'
import type { RailEvent } from '../rail.ts'
import { listBankFiles } from './files.ts'
import { bankRail } from './rails.ts'

const account = { currency: 'EUR', iban: ourIban, bic: 'BYLADEM1001', holder: 'Example Ltd' }
const other = { currency: 'EUR', other: '11111111', bic: 'BYLADEM1001', holder: 'Example Ltd' }
const vectors = join(import.meta.dirname, '../../../../test/vectors/bank')

/** A bank that sends files of test/vectors/bank, with two orders' references in them. */
type CaseBank = BankWorld & {
  reference: string
  otherReference: string
  send(name: string): Promise<RailEvent[]>
  files(): ReturnType<typeof listBankFiles>
  held(): Promise<bigint>
}

async function withBank(
  work: (bank: CaseBank) => Promise<void>,
  change: Parameters<typeof openBankWorld>[0] = {},
): Promise<void> {
  const world = await openBankWorld({ accounts: [account, other], ...change })
  const [reference, otherReference] = [nextReference(), nextReference()]
  try {
    await work({
      ...world,
      reference,
      otherReference,
      send: (name) => {
        const text = readFileSync(join(vectors, `${name}.xml`), 'utf8')
          .replaceAll('{{REFERENCE}}', reference)
          .replaceAll('{{OTHER_REFERENCE}}', otherReference)
        world.outside.drop(`${name}.xml`, text)
        return world.round()
      },
      files: () => listBankFiles(world.ctx.db),
      held: () => bankRail(world.bank).balance('EUR-EUR'),
    })
  } finally {
    await world.close()
  }
}

const final = ['deposit_final']

describe('files that failed when tried from outside', () => {
  it('one statement under another id is compared: one deposit, nothing in suspense', () =>
    withBank(async ({ send, files, held, reference }) => {
      const [deposit] = await send('resent-1')
      assert.deepEqual([deposit?.kind, deposit?.amount, deposit?.reference], ['deposit_final', 10_000n, reference])
      assert.deepEqual(await send('resent-2'), [])
      assert.equal(await held(), 510_000n)
      assert.deepEqual(
        (await files()).map(({ state, why }) => [state, why]),
        [
          ['taken', ''],
          ['taken', ''],
        ],
      )
    }))

  it('a reference of the bank that repeats swallows nothing: each deposit is its own order’s', () =>
    withBank(async ({ send, reference, otherReference }) => {
      const events = [...(await send('reference-repeats-1')), ...(await send('reference-repeats-2'))]
      assert.deepEqual(
        events.map((one) => [one.kind, one.reference]),
        [
          ['deposit_final', reference],
          ['deposit_final', otherReference],
        ],
      )
    }))

  for (const order of [
    ['saturday-054', 'monday-053'],
    ['monday-053', 'saturday-054'],
  ]) {
    it(`one transfer of a weekend is one deposit: ${order.join(', ')}`, () =>
      withBank(async ({ send, held }) => {
        const events: RailEvent[] = []
        for (const name of order) events.push(...(await send(name)))
        assert.deepEqual(kindsOf(events), final)
        assert.equal(await held(), 540_000n)
      }))
  }

  it('a statement that opens with another balance than the last one closed with credits nothing', () =>
    withBank(async ({ send, files, held }) => {
      await send('monday-053')
      assert.deepEqual(await send('opening-differs'), [])
      assert.equal(await held(), 540_000n)
      const refused = (await files()).find(({ state }) => state === 'refused')
      assert.match(refused?.why ?? '', /5202\.99 EUR.*5400 EUR/)
    }))

  it('an account that is not configured keeps nothing back, and is ignored where configured so', async () => {
    for (const ignore of [[], ['DE75512108001245126199']])
      await withBank(
        async ({ send, files }) => {
          assert.deepEqual(kindsOf(await send('two-accounts-one-ours')), final)
          const [own, foreign] = await files()
          assert.equal(own?.state, 'taken')
          assert.equal(foreign?.account, 'DE75512108001245126199')
          assert.equal(foreign?.state, ignore.length > 0 ? 'taken' : 'refused')
        },
        { ignore },
      )
  })

  it('charges in one amount are a cost', () =>
    withBank(async ({ send, charges }) => {
      const [deposit] = await send('charge-totals-without-records')
      assert.equal(deposit?.amount, 10_000n)
      assert.deepEqual(
        charges.map(({ amount }) => amount),
        [50n],
      )
    }))

  it('an account without an IBAN, with a closing balance only, is credited', () =>
    withBank(async ({ send, held }) => {
      assert.deepEqual(kindsOf(await send('account-without-iban-closing-only')), final)
      assert.equal(await held(), 10_000n)
    }))

  it('an entry without a status is booked, and a balance without a sign is a credit balance', () =>
    withBank(async ({ send, held }) => {
      assert.deepEqual(kindsOf(await send('entry-without-status-balance-without-sign')), final)
      assert.equal(await held(), 569_950n)
    }))

  it('all of them in one account, one after the other, credit each transfer once', () =>
    withBank(async ({ send, held }) => {
      const names = [
        'resent-1',
        'resent-2',
        'reference-repeats-1',
        'reference-repeats-2',
        'saturday-054',
        'monday-053',
        'opening-differs',
        'two-accounts-one-ours',
        'charge-totals-without-records',
        'entry-without-status-balance-without-sign',
        'own-expense-and-top-up',
        'third-party-payer',
      ]
      const events: RailEvent[] = []
      for (const name of names) events.push(...(await send(name)))
      assert.deepEqual(
        kindsOf(events),
        Array.from({ length: 9 }, () => 'deposit_final'),
      )
      assert.equal(await held(), 754_951n)
    }))
})

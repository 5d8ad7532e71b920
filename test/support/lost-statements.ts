import assert from 'node:assert/strict'

import { whyNotBooked, withGap } from '../../src/exchange/operations/book-difference.ts'
import { listBreaks } from '../../src/exchange/reconciliation/breaks.ts'
import { reconcile } from '../../src/exchange/reconciliation/reconcile.ts'
import { listBankFiles } from '../../src/rails/iso20022/files.ts'
import type { BankExchange } from './bank-exchange.ts'
import { camt, type CamtEntry } from './camt.ts'
import { euros } from './folder-bank.ts'
import { advance, lookup, settled } from './journey.ts'
import { type notifiedBookings, reason } from './notified-bookings.ts'
import { until } from './telling.ts'

/** What a lost statement says, and when it comes at last. */
export type Lost = { name: string; drop(): void; come(): Promise<void> }

/** Statements that a bank loses, and what operators do on the page of money about those that it sends next. */
export function lostStatements(
  story: () => BankExchange,
  { ctx, state, browser, forms }: Pick<ReturnType<typeof notifiedBookings>, 'ctx' | 'state' | 'browser' | 'forms'>,
) {
  /** The bank loses a statement, and sends the next one, which two operators accept on the page. */
  async function lose(entries: CamtEntry[], moved: bigint): Promise<Lost> {
    const { bank } = story()
    const [opening, number] = [bank.balance, bank.number + 1]
    bank.balance += moved
    bank.number = number
    const [name, refused] = [`lost-${number}.xml`, `camt053-${String(number + 1).padStart(6, '0')}.xml`]
    await state([])
    assert.deepEqual(await found(), [['statement', 'opening_differs', moved]])
    await accept(refused)
    const text = camt({ id: name, number, opening: euros(opening), closing: euros(bank.balance), entries })
    const drop = (): void => bank.drop(name, text)
    const come = async (): Promise<void> => {
      drop()
      await story().taken()
      await settled(story().exchange)
    }
    return { name, drop, come }
  }
  async function accept(name: string): Promise<void> {
    const [file] = await lookup<{ id: bigint }>(story().exchange, 'select id from iso20022_files where name = $1', [
      name,
    ])
    await onPage({ action: 'accept', about: `#${file?.id}` }, 2)
    const isTaken = async (): Promise<boolean> =>
      (await listBankFiles(ctx().db)).some((one) => one.file === name && one.state === 'accepted')
    await until(isTaken, 'the acceptance')
    await settled(story().exchange)
    await advance(story().exchange, 'PT2H')
  }
  async function onPage(form: Record<string, string>, by = 1): Promise<void> {
    for (const role of (['finance', 'admin'] as const).slice(0, by))
      await forms.send('/console/money', await browser.as(role), { reason, ...form })
    await settled(story().exchange)
  }
  /** Two operators book what lies before a statement, on the page. */
  async function bookDifference(): Promise<void> {
    await reconcile(ctx())
    const all = await Promise.all((await listBreaks(ctx(), { open: true })).map((one) => withGap(ctx().db, one)))
    const { id } =
      all.find((one) => one.gap?.rest !== 0n && whyNotBooked(one) === undefined) ?? assert.fail('no difference')
    await onPage({ action: 'book-difference', about: String(id) }, 2)
    await advance(story().exchange, 'PT2H')
  }
  const found = async (): Promise<[string, string, bigint][]> =>
    (await reconcile(ctx())).breaks.map(({ kind, cause, amount }) => [kind, cause, amount])

  return { lose, accept, onPage, bookDifference, found }
}

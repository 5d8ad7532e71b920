import assert from 'node:assert/strict'

import { verify } from '../../src/exchange/checks/verify.ts'
import { operatorSubject } from '../../src/exchange/operators/operator.ts'
import { reconcile } from '../../src/exchange/reconciliation/reconcile.ts'
import type { BankExchange } from './bank-exchange.ts'
import { camt, type CamtEntry } from './camt.ts'
import type { BankOrder } from './folder-bank.ts'
import { advance, assertBooksHold, bookBalance, lookup, settled } from './journey.ts'
import { formSender } from './send-forms.ts'
import { someone } from './signing.ts'
import { staffBrowser } from './staff-browser.ts'
import { until } from './telling.ts'

export const reason = 'The bank says that it never came.'

/** Bookings that a bank notifies, and what operators do where its statement lacks them. */
export function notifiedBookings(story: () => BankExchange) {
  let count = 0
  const next = (): number => (count += 1)
  const ctx = () => story().exchange.service.composition.ctx
  const paid = (reference: string, amount: string): CamtEntry => ({
    amount,
    servicerReference: `W-${next()}`,
    payments: [
      { remittance: reference, amount, payer: { name: 'Erika Mustermann', iban: 'DE75512108001245126199', bic: '' } },
    ],
  })
  async function notify(entry: CamtEntry): Promise<void> {
    story().bank.drop(`n${next()}.xml`, camt({ kind: '054', id: `N-${count}`, entries: [entry] }))
    await story().taken()
    await settled(story().exchange)
  }
  async function state(entries: CamtEntry[]): Promise<void> {
    story().bank.state(entries)
    await story().taken()
    await settled(story().exchange)
    await advance(story().exchange, 'PT2H')
  }
  async function onlyBreak(): Promise<bigint> {
    const { breaks } = await reconcile(ctx())
    assert.deepEqual(
      breaks.map(({ kind, cause }) => [kind, cause]),
      [['statement', 'missing']],
    )
    return breaks[0]?.id ?? assert.fail()
  }
  async function ordered(): Promise<[BankOrder]> {
    const orders: BankOrder[] = []
    await until(() => {
      orders.push(...story().bank.collect())
      return Promise.resolve(orders.length > 0)
    }, 'a payment file')
    const [order] = orders
    return [order ?? assert.fail()]
  }
  const browser = staffBrowser(() => story().exchange)
  const forms = formSender(browser)
  async function withdrawOnPage(found: bigint): Promise<void> {
    for (const role of ['finance', 'admin'] as const)
      await forms.send('/console/money', await browser.as(role), { action: 'withdraw', about: String(found), reason })
    await settled(story().exchange)
  }
  const chargebacks = async (id: string): Promise<string | undefined> => {
    const sql = `select chargebacks::text as marks from customers join transactions on customers.id = customer_id where public_id = $1`
    return (await lookup<{ marks: string }>(story().exchange, sql, [id]))[0]?.marks
  }
  const by = async () => ({ actor: operatorSubject(await someone(ctx())), reason })
  /** Coins that leave right now are not booked yet. */
  async function paidOut(): Promise<void> {
    const leaving = `select from transactions where status in ('exchanging', 'sending')`
    await until(async () => (await lookup(story().exchange, leaving)).length === 0, 'the payouts')
    await settled(story().exchange)
  }
  async function assertAgrees(): Promise<void> {
    await paidOut()
    assert.deepEqual((await reconcile(ctx())).breaks, [])
    assert.equal(await bookBalance(story().exchange, 'held:bank-1', 'EUR-EUR'), story().bank.balance)
    assert.deepEqual(await verify(ctx()), [])
    await assertBooksHold(story().exchange)
  }

  return {
    ctx,
    paid,
    notify,
    state,
    onlyBreak,
    ordered,
    browser,
    forms,
    withdrawOnPage,
    chargebacks,
    by,
    paidOut,
    assertAgrees,
    next,
  }
}

import type { Atomic, Db } from '../../platform/db/sql.ts'
import { gather } from '../../platform/lib/gather.ts'
import type { PayoutProgress } from '../chain/refusals.ts'
import { notExcluded } from '../chain/ended.ts'
import type { PayoutHalf, PlanBody, PlanOutcome } from '../rail.ts'
import type { PaidDifference, SeenOfPayment } from '../statement.ts'
import { accountIdOf, type Bank } from './bank.ts'
import { apart } from './booking/agree.ts'
import { paymentOf } from './booking/events.ts'
import { bookPaid, differenceWith } from './booking/gap.ts'
import { lockBank } from './lease.ts'
import { isPaymentKey, prepareOrder, sealOrder } from './paying/order.ts'
import { openNames } from './paying/payee.ts'
import * as queries from './paying/queries.ts'
import { unsurePayments } from './paying/unsure.ts'
import { farFuture, missingNumbers } from './troubles.ts'

/** How often a payment is looked at, at the most often and at the least, in real milliseconds. */
const looks = { soonest: 1_000, latest: 30_000 }

const day = 86_400_000

/**
 * Transfers from our accounts. A submitted payment waits for the next payment file; the bank's status report or the account's
 * statement says what became of it. What the bank charges is booked from its statements, so a payout has no fee.
 */
export function payouts(bank: Bank): PayoutHalf {
  const { db, name } = bank
  const find = gather(async (keys: string[]) => {
    const found = new Map((await queries.paymentsByKey(db, name, keys)).map((row) => [row.key, row]))
    return keys.map((key) => found.get(key))
  })
  return {
    isKey: isPaymentKey,
    lookAfterMs: Math.min(Math.max(bank.everyMs, looks.soonest), looks.latest),
    mostFee: () => undefined,
    prepare: (orders) => Promise.resolve(orders.map((order) => prepareOrder(bank, order))),
    submit: async ({ key, body }) => {
      const { asset = '', amount = '0' } = body
      const row = {
        rail: name,
        key,
        asset,
        amount: BigInt(amount),
        body: sealOrder(bank, key, body),
        at: bank.clock.realNow(),
      }
      await queries.queuePayment(db, row)
    },
    look: async ({ key }) => outcomeOf(await find(key)),
    progress: async ({ key }) => progressOf(bank, await find(key)),
    unsure: unsurePayments(bank),
    end: (plan, how, isLacking = false) => db.atomic((block) => endPayment(bank, block, plan, { how, isLacking })),
    endIn: (block, plan, isLacking) => endPayment(bank, block, plan, { how: 'end', isLacking }),
    needsList: (block, payment) => needsList(bank, block, payment),
    differenceWith: (block, key) => paidDifference(bank, block, key),
    bookPaid: (block, key, report) => bookPaid(bank, block, key, report),
    owns: (account) =>
      bank.accounts.some(
        (one) => accountIdOf(one) === account || (one.iban.startsWith('GB') && one.iban.slice(8) === account),
      ),
  }
}

/** What is not even queued was never submitted; what was rejected never will be carried out. The proof is the end-to-end id. */
function outcomeOf(payment: queries.PaymentRow | undefined): PlanOutcome {
  if (!payment || payment.state === 'rejected') return { state: 'never' }
  return payment.state === 'done'
    ? { state: 'done', evidence: { hash: payment.key, fee: undefined } }
    : { state: 'pending' }
}

const states = { queued: 'waiting', sent: 'sent', done: 'done', rejected: 'never' } as const

function progressOf(bank: Bank, payment: queries.PaymentRow | undefined): PayoutProgress {
  if (!payment) return { state: 'waiting' }
  const { key, state, payee_match: match, payee_names: names, unsure_since: unsureSince } = payment
  const mayHaveLeft = state === 'sent' && unsureSince !== null
  return {
    state: states[state],
    ...(mayHaveLeft ? { mayHaveLeft } : {}),
    ...(match ? { payee: { match, names: openNames(bank, key, names) } } : {}),
  }
}

/**
 * Ends a payment that the bank has never answered: the statements up to a later day do not debit it, and all have come, or operators have decided
 * about those that lack and say that the bank's own list of payments lacks it, too.
 */
async function endPayment(
  bank: Bank,
  db: Atomic,
  { key, body }: { key: string; body: PlanBody },
  { how, isLacking }: { how: 'check' | 'end'; isLacking: boolean },
): Promise<void> {
  await lockBank(db, bank.name)
  const [payment] = await queries.lockPayments(db, bank.name, { keys: [key], messages: [], parts: [] })
  if (payment?.state === 'rejected') return
  if (payment?.state === 'done') throw notExcluded('The bank has carried out this payment.')
  if (!payment) throw notExcluded('This payment is not queued yet. Halt its rail first, if it must not leave.')
  // What is in no file cannot be in one once it is rejected: a file takes what is queued, or none.
  if (payment.state !== 'queued') {
    const asset = body.asset ?? ''
    await refuseUnlessExcluded(bank, db, { key, account: payerOf(bank, payment, asset), asset, isLacking })
  }
  if (how === 'check') return
  queries.updatePayments(
    db,
    bank.name,
    [{ ...payment, state: 'rejected', reason: 'Ended by two operators.' }],
    bank.clock.now(),
  )
}

/** The account that pays; the first of its asset where that was not kept. */
function payerOf({ accounts }: Bank, payment: Pick<queries.PaymentRow, 'account'>, asset: string): string {
  const payer = accounts.find((one) => one.asset.id === asset)
  return payment.account ?? (payer ? accountIdOf(payer) : '')
}

async function needsList(
  bank: Bank,
  db: Db,
  { key, asset }: { key: string; asset: string },
): Promise<SeenOfPayment | undefined> {
  const [payment] = await queries.paymentsByKey(db, bank.name, [key])
  if (!payment) return undefined
  const of = { rail: bank.name, account: payerOf(bank, payment, asset), key }
  const [found] = await queries.laterStatement(db, of)
  const [seen] = found?.is_decided ? await queries.seenOf(db, of) : []
  return seen
}

const announced = ({ name: rail, clock }: Bank) => ({
  rail,
  announcedSince: new Date(clock.now().getTime() - apart.pending * day),
})

/** The booked difference that may have the debit of a payment, with what else may be or have that. */
async function paidDifference(bank: Bank, db: Db, key: string): Promise<PaidDifference | undefined> {
  const found = await differenceWith(db, bank.name, key)
  if (!found) return undefined
  const of = { ...announced(bank), account: found.account, key }
  const [waiting] = await queries.waitingFile(db, of)
  const like = await queries.debitsLike(db, of)
  const named = like.find((one) => one.is_named)
  return {
    payment: paymentOf(found.id),
    amount: found.amount,
    obstacle: waiting
      ? waits(waiting)
      : named && `The debit ${paymentOf(named.id)} names this payment, and is in no difference: see what it is first.`,
    alike: like.filter((one) => !one.is_named).map(({ id, amount }) => ({ payment: paymentOf(id), amount })),
  }
}

const waits = ({ name }: { name: string }): string =>
  `The file ${name} waits for a person, and may have its debit: accept it, or have it read again, first.`

/** Refuses while anything that has come, or is missing, may be the debit of a payment. */
async function refuseUnlessExcluded(
  bank: Bank,
  db: Db,
  { key, account, asset, isLacking }: { key: string; account: string; asset: string; isLacking: boolean },
): Promise<void> {
  const [found] = await queries.laterStatement(db, { rail: bank.name, account, key })
  if (!found) throw notExcluded('No statement of a day after its payment file has come.')
  const [waiting] = await queries.waitingFile(db, { rail: bank.name, account, key })
  if (waiting) throw notExcluded(waits(waiting))
  const [like] = await queries.debitsLike(db, { ...announced(bank), account, key })
  const debit = `The debit ${paymentOf(like?.id ?? 0n)} may be this payment`
  if (like?.state === 'booked') throw notExcluded(`${debit}: book what it was first, with suspense book.`)
  if (like?.state === 'pending')
    throw notExcluded(`${debit}, and is only announced: wait until it is booked, or ${apart.pending} days have passed.`)
  const missing = (await missingNumbers(db, farFuture, { rail: bank.name, account, asset })).some(
    (one) => one.before >= found.sent_on && one.after <= found.left_by,
  )
  if (found.has_gap || missing)
    throw notExcluded(
      'A statement since its payment file is missing, and may have its debit: ask the bank for it, or decide about the difference.',
    )
  if (found.is_decided && !isLacking)
    throw notExcluded(
      "Its debit may be in days whose statement never came, in an opening balance, or in a debit that was booked as something else: look into the bank's own list of payments. Only if that lacks it, say so (bank_lacks_it: yes).",
    )
}

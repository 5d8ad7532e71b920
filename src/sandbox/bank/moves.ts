import { createHash } from 'node:crypto'

import { findReference } from '../../reference/bank/creditor-reference.ts'
import { exampleAccount } from '../../reference/bank/example-account.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { one } from '../../platform/db/sql.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { Destination } from '../../rails/rail.ts'
import { queueCallbacks } from '../callback.ts'
import { covered } from '../overdraft.ts'
import type { World } from '../world.ts'
import { payerForm } from './accounts.ts'
import * as queries from './queries.ts'
import { bankId, bankName, readBankId, type Message, messageOf } from './messages.ts'

/** A bank transfer of somebody's to an account of ours. `remittance` is what the payer wrote. */
export type Transfer = { account: string; asset: string; amount: bigint; remittance: string }

/**
 * A transfer to us: it is booked and reported at once. Only our reference in the payer's text is kept: people write names.
 */
export async function transferIn(
  world: World,
  { remittance, ...transfer }: Transfer,
): Promise<{ id: string; hash: string }> {
  const at = world.clock.realNow()
  const reference = findReference(remittance)
  const row = { ...transfer, remittance: reference ?? '', reference, at }
  return world.db.atomic(async (db) => {
    const payment = one(await queries.takeIn(db, row))
    await tell(world, db, payment)
    const id = bankId(payment.id)
    return { id, hash: createHash('sha256').update(id).digest('hex') }
  })
}

/** The payer's bank recalls the last transfer with a reference. CONFLICT if nothing is left to recall. */
export async function recall(world: World, reference: string): Promise<void> {
  await covered(
    world.db.atomic(async (db) => {
      const [payment] = await queries.recall(db, reference)
      if (!payment) throw new Refusal('CONFLICT', 'Nothing has been paid that could be recalled.')
      await tell(world, db, payment)
    }),
  )
}

/** The payee's bank sends a transfer of ours back. CONFLICT if it was not carried out, or has come back. */
export async function sendBack(world: World, endToEndId: string): Promise<void> {
  await world.db.atomic(async (db) => {
    const [payment] = await queries.sendBack(db, endToEndId)
    if (!payment) throw new Refusal('CONFLICT', 'Nothing has been paid out that could come back.')
    await tell(world, db, payment)
  })
}

const tell = (world: World, db: Atomic, payment: queries.PaymentRow): Promise<void> =>
  queueCallbacks(world, db, [
    { rail: bankName, message: messageOf(payment, payment.state), dueAt: world.clock.realNow() },
  ])

/**
 * Whose account a payment came from, as the bank's statement has it: a test customer's, made out of the payment's id, because
 * these tables are no place for persons. Undefined for what is no payment to us.
 */
export async function payerOf(
  world: Pick<World, 'db' | 'accounts'>,
  payment: string,
): Promise<Destination | undefined> {
  const id = readBankId(payment)
  const [paid] = id === undefined ? [] : await queries.paidTo(world.db, id)
  const form = paid && payerForm(world, paid.account)
  if (!form) return undefined
  const { account, bic, holder } = exampleAccount(form, createHash('sha256').update(`payer of ${payment}`).digest())
  return { address: account, extraId: bic, holder }
}

/** What the bank has said of payments with a reference, in the order in which it did. */
export async function messagesAbout({ db }: Pick<World, 'db'>, reference: string): Promise<Message[]> {
  const payments = await queries.paidIn(db, reference)
  return payments.flatMap((payment) => [
    messageOf(payment, 'booked'),
    ...(payment.state === 'booked' ? [] : [messageOf(payment, payment.state)]),
  ])
}

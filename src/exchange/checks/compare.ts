import type { Ctx } from '../context.ts'
import type { Db } from '../../platform/db/sql.ts'
import { idOf, problemsIn } from '../ledger/verify.ts'
import { destinationPlace } from '../settlement/payout.ts'
import { preparedPlace } from '../settlement/prepared-payment.ts'
import type { Keyring } from '../../platform/privacy/data-key.ts'
import * as queries from './compare.sql.ts'

const batch = 1_000

/** Checks every deposit against its rail event and its transaction. Returns one sentence a problem. */
export const verifyDeposits = (db: Db): Promise<string[]> =>
  inParts((part) => queries.unlikeFacts(db, part), faultOf('Deposit'))

/** Checks every refund against its payouts and its deposit. Returns one sentence a problem. */
export const verifyRefunds = (db: Db): Promise<string[]> =>
  inParts((part) => queries.unlikePayouts(db, part), faultOf('Refund'))

/**
 * Checks every payout, including returns from suspense, against its prepared payment, its refund and its destination: what was
 * sealed for another payout, or by somebody else, does not open. Also finds prepared payments without a payout. Returns one
 * sentence a problem.
 */
export async function verifyPayouts({ db, keyring }: Pick<Ctx, 'db' | 'keyring'>): Promise<string[]> {
  const problems = await inParts(
    (part) => queries.payouts(db, part),
    (row) => faultsOfPayout(keyring, row).map((fault) => `${nameOf('Payout', row)} ${fault}.`),
  )
  for (const { id } of await queries.plansOfNothing(db)) problems.push(`Plan ${id} pays nothing.`)
  return problems
}

const inParts = <Row extends { id: bigint }>(
  read: (part: queries.Part) => Promise<Row[]>,
  problemsOf: (row: Row) => string[],
): Promise<string[]> =>
  problemsIn<Row>(
    (last) => read({ afterId: idOf(last), limit: batch }),
    (rows) => rows.flatMap(problemsOf),
  )

const nameOf = (what: string, { id, public_id: publicId }: { id: bigint; public_id: bigint | null }): string =>
  `${what} ${id}${publicId === null ? '' : ` of transaction ${publicId}`}`

const faultOf =
  (what: string) =>
  ({ id, fault, ...row }: queries.Unlike): string[] =>
    fault === null ? [] : [`${nameOf(what, { id, ...row })} ${fault}.`]

/** States of a prepared payment that fit its payout's state. A returned payout was paid, one that never left was not. */
function plansOf({ state, reason }: queries.PayoutRow): readonly string[] {
  if (state === 'planned') return ['planned', 'submitted', 'unknown']
  if (state === 'paid') return ['done']
  if (state === 'failed') return [reason === 'never' ? 'never' : 'done']
  return []
}

function faultsOfPayout(keyring: Keyring, row: queries.PayoutRow): string[] {
  const { state, plan_state: plan } = row
  const allowed = plansOf(row)
  const isPlanned = allowed.length > 0
  const faults: [boolean, string][] = [
    [row.transaction_id !== null && row.public_id === null, 'is of a transaction that is gone'],
    [row.is_planned && row.plan_id === null, 'has lost its plan'],
    [isPlanned && !row.is_planned, `is ${state} without a plan`],
    [plan !== null && !allowed.includes(plan), `is ${state}, and its plan is ${plan}`],
    [plan === 'done' && row.has_evidence === false, 'has no evidence'],
    [row.is_on_its_rail === false, 'is planned on another rail'],
    [!row.is_as_refunded, 'is not what its refund is'],
    [!opens(keyring, row), 'goes elsewhere than was ordered'],
  ]
  return faults.filter(([isWrong]) => isWrong).map(([, fault]) => fault)
}

/** Whether destination and prepared payment were sealed for this payout. Data of an erased person cannot be checked. */
function opens(keyring: Keyring, row: queries.PayoutRow): boolean {
  const { data_key_id: id, wrapped_key: wrapped, plan_data_key_id: planKeyId, plan_wrapped_key: planWrapped } = row
  try {
    if (wrapped) keyring.unwrap(id, wrapped).openBytes(row.destination, destinationPlace(row.id))
    if (row.body && row.plan_id !== null && planKeyId !== null && planWrapped) {
      keyring.unwrap(planKeyId, planWrapped).openBytes(row.body, preparedPlace(row.plan_id))
    }
    return true
  } catch {
    // Forged bytes can fail in any way: not opening is the finding.
    return false
  }
}

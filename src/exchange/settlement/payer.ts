import { institutionLikeness, nameLikeness } from '../compliance/name-likeness.ts'
import type { Ctx } from '../context.ts'
import { fullNameIn, knownName } from '../customers/known-name.ts'
import { findPartners } from '../partners/known.ts'
import { lockPayoutAddresses } from '../partners/payout-addresses.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import { indexHash } from '../../platform/privacy/master-key.ts'
import type { Payer } from '../../rails/rail.ts'
import type { Transaction } from '../transactions/transaction.ts'

/**
 * What the comparison of a payer with the customer came to. `match`: their names are alike. `known_account`: by whatever name, the
 * customer has paid from it before. `not_compared`: a name is not known. `unnamed`: only the payer's, and the customer is verified; it
 * waits for staff unless the policy accepts anybody. The others are the policy's, for another's money.
 */
export type PayerCheckOutcome = 'match' | 'known_account' | 'not_compared' | 'accept' | 'unnamed' | 'hold' | 'return'

/** What was compared, as it is sealed: the customer's name may be one that nobody has verified. */
type Compared = { payer: Payer; name: string | null; isVerified: boolean }

/** A comparison, for people to read. `score` is in thousandths. */
export type PayerCheck = Compared & {
  depositId: bigint
  score: number | null
  outcome: PayerCheckOutcome
  policyVersion: number
  checkedAt: Date
  acceptedAt: Date | null
}

/** A score as people read it: `0.850`. */
export const scoreText = (score: number): string =>
  `${Math.trunc(score / 1_000)}.${String(score % 1_000).padStart(3, '0')}`

/** Where the names of a comparison belong; sealed bytes open nowhere else. */
const placeOf = (id: bigint): string => `payer_checks:${id}`

/**
 * Compares who paid with the customer or the institution whose order it pays, once a deposit, and writes down what came out. Only
 * rails that know who paid are asked; undefined for all others.
 */
export async function checkPayer(
  ctx: Ctx,
  db: Atomic,
  { transaction, deposit }: { transaction: Transaction; deposit: { id: bigint; rail: string; payment: string } },
): Promise<PayerCheckOutcome | undefined> {
  const half = ctx.rails.deposit(deposit.rail)?.deposit
  const payer = await half?.payer?.(db, deposit.payment)
  if (!payer) return undefined
  const { customerId, partnerId } = transaction
  const { version, rules } = ctx.policies.at(ctx.clock.now(), 'payers', partnerId)
  const accountHash = payer.account === '' ? null : indexHash(ctx.secrets, 'payer account', spelled(payer.account))
  const owner = await ownerOf(ctx, db, transaction)
  const scoreOf = (name: string): number | null =>
    owner.name === undefined || name === '' ? null : owner.likeness(owner.name, name)
  const [named, ultimate] = [scoreOf(payer.name), scoreOf(payer.onBehalfOf)]
  const score = named === null || ultimate === null ? named : Math.min(named, ultimate)
  const isUnnamed = payer.name === '' && owner.isVerified
  const outcomeOf = async (): Promise<PayerCheckOutcome> => {
    if (score !== null && score >= rules.leastThousandths) return 'match'
    if (score === null && !isUnnamed) return 'not_compared'
    // An account is known for who has it; for whom it pays is said each time.
    if (ultimate !== null && ultimate < rules.leastThousandths) return rules.mismatch
    const seen = { account: payer.account, hash: accountHash, leastThousandths: rules.leastThousandths }
    if (await isTheirs(ctx, db, { transaction, owner }, seen)) return 'known_account'
    if (score !== null) return rules.mismatch
    return rules.mismatch === 'accept' ? 'not_compared' : 'unnamed'
  }
  const outcome = await outcomeOf()
  const id = await ctx.rowIds.next()
  const compared: Compared = { payer, name: owner.name ?? null, isVerified: owner.isVerified }
  db.send`
    insert into payer_checks (id, deposit_id, transaction_id, customer_id, account_hash, score, outcome, policy_version, personal,
      checked_at)
    values (${id}, ${deposit.id}, ${transaction.id}, ${customerId}, ${accountHash}, ${score}, ${outcome}, ${version},
      ${transaction.dataKey.seal(compared, placeOf(id))}, ${ctx.clock.now()})`
  return outcome
}

/** An account as accounts are compared. */
export const spelled = (account: string): string => account.replaceAll(/[\s-]/g, '').toUpperCase()

/** How the one is called whose order it is, and how names are compared with theirs. */
type Owner = {
  name: string | undefined
  isVerified: boolean
  likeness: (own: string, other: string) => number
}

/**
 * An institution is called as the operator has named its account. Who has the link of an order that was passed without an email
 * address can correct the name that was passed: only a name that is like both is theirs.
 */
export async function ownerOf(ctx: Ctx, db: Db, transaction: Transaction): Promise<Owner> {
  const { kind, partnerId, personal } = transaction
  if (kind === 'b2b') {
    const name = (await findPartners(ctx, [partnerId])).get(partnerId)?.name
    return { name, isVerified: true, likeness: institutionLikeness }
  }
  const bound = personal.passed?.billing
  const known = await knownName(ctx, db, { ...transaction, bound })
  const { name, isVerified = false } = known ?? {}
  const isCorrected = personal.corrected?.some((field) => field === 'firstName' || field === 'lastName') ?? false
  if (isVerified || !isCorrected || bound?.lastName === undefined) return { name, isVerified, likeness: nameLikeness }
  const corrected = fullNameIn(personal.billing ?? {})
  const likeness = (own: string, other: string) => Math.min(nameLikeness(own, other), nameLikeness(corrected, other))
  return { name, isVerified, likeness }
}

type SeenAccount = { account: string; hash: Buffer | null; leastThousandths: number }

/** Whether an account is known to be that of the one whose order it is. */
async function isTheirs(
  ctx: Ctx,
  db: Atomic,
  { transaction: { kind, customerId, partnerId }, owner }: { transaction: Transaction; owner: Owner },
  { account, hash, leastThousandths: least }: SeenAccount,
): Promise<boolean> {
  if (hash === null) return false
  if (kind !== 'b2b') return customerId !== null && isKnownAccount(db, hash, { customerId })
  if (await isKnownAccount(db, hash, { partnerId })) return true
  // One that is registered for payouts is its own only if it is the holder.
  const registered = await lockPayoutAddresses(ctx, db, partnerId, [spelled(account)])
  return registered.some(
    ({ type, status, details }) =>
      type === 'bank_account' && status === 'active' && owner.likeness(owner.name ?? '', details.holder) >= least,
  )
}

/** Whether the owner's name was on this account before, or staff released a payment of theirs from it. */
const isKnownAccount = async (
  db: Db,
  hash: Buffer,
  owner: { customerId: bigint } | { partnerId: bigint },
): Promise<boolean> =>
  (
    await db.sql`
      select from payer_checks as checked join transactions as own on own.id = checked.transaction_id
      where account_hash = ${hash} and (outcome = 'match' or accepted_at is not null)
        and case when ${'customerId' in owner} then checked.customer_id = ${'customerId' in owner ? owner.customerId : null}
          else own.kind = 'b2b' and own.partner_id = ${'partnerId' in owner ? owner.partnerId : null} end limit 1`
  ).length > 0

/** Outcomes after which staff decide, and why, the gravest first. */
const reviewed = [
  { outcomes: ['hold', 'return'], reason: 'Somebody else than the customer paid.' },
  { outcomes: ['unnamed'], reason: 'The bank names no payer, and the customer has never paid from this account.' },
] as const
/** Those alone. */
export const reviewedOutcomes = reviewed.flatMap(({ outcomes }): PayerCheckOutcome[] => [...outcomes])

/** Whether staff decide about money after a comparison. */
export const isReviewed = (outcome: PayerCheckOutcome | undefined): boolean =>
  outcome !== undefined && reviewedOutcomes.includes(outcome)

/** Why money that waits in a transaction may be somebody else's, for staff to decide; undefined where none does. */
export async function payerReviewReason(db: Db, transactionId: bigint): Promise<string | undefined> {
  const waiting = await db.sql<{ outcome: string }>`
    select outcome from payer_checks as checked join deposits on deposits.id = deposit_id
    where checked.transaction_id = ${transactionId} and outcome = any(${reviewedOutcomes}::text[]) and accepted_at is null
      and amount > exchanged + refunded + taken_back`
  return reviewed.find(({ outcomes }) => waiting.some(({ outcome }) => outcomes.some((one) => one === outcome)))?.reason
}

/** Staff have released the money: those who paid it may pay for this customer. */
export const acceptPayers = (db: Atomic, transactionId: bigint, at: Date): void =>
  db.send`
    update payer_checks set accepted_at = ${at}
    where transaction_id = ${transactionId} and outcome = any(${reviewedOutcomes}::text[]) and accepted_at is null`

/** The comparisons of a transaction's payers, the oldest first. */
export async function payerChecksOf(db: Db, { id, dataKey }: Transaction): Promise<PayerCheck[]> {
  const rows = await db.sql<Omit<PayerCheck, keyof Compared> & { id: bigint; personal: Buffer }>`
    select id, deposit_id as "depositId", score, outcome, policy_version as "policyVersion", personal, checked_at as "checkedAt",
      accepted_at as "acceptedAt"
    from payer_checks where transaction_id = ${id} order by id`
  return rows.map(({ id: own, personal, ...row }) => {
    const { payer, ...compared } = dataKey.open<Compared>(personal, placeOf(own))
    // Comparisons of before did not know on whose behalf a payer paid.
    return { ...row, ...compared, payer: { ...payer, onBehalfOf: payer.onBehalfOf ?? '' } }
  })
}

import { after } from '../../platform/lib/clock.ts'
import { badField, fieldRefusal } from '../../platform/lib/refusal.ts'
import { formatAmount } from '../../platform/money/amount.ts'
import { unitsAt } from '../../platform/money/amount-in.ts'
import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import { recordAudit } from '../audit/audit.ts'
import type { AuditAction } from '../audit/nouns.ts'
import type { Ctx } from '../context.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import { capital, held, placeIn } from '../ledger/account.ts'
import type { Rail } from '../../rails/rail.ts'
import { type BankOpening, bankOpenings } from '../../rails/iso20022/opening.ts'
import { heldBalances, reserve } from '../ledger/balance.ts'
import { entry } from '../ledger/entry.ts'
import { post } from '../ledger/post.ts'
import * as queries from './balances.sql.ts'
import { rebalancesInTransit } from './rebalance.ts'

/**
 * The balance of one asset at one custody account, in its smallest unit. `incoming` was seen by a rail and is not final: it is not
 * part of the balance yet. `outgoing` was given to a rail and is not confirmed: it is part of the balance and reserved.
 */
export type CustodyBalance = {
  account: string
  asset: string
  balance: bigint
  reserved: bigint
  incoming: bigint
  outgoing: bigint
  available: bigint
}

/** A payment that was seen longer ago than this and has not become final is not on its way any more. */
const seenWithinMs = 30 * 86_400_000

/** The balances of every custody account that the books know, or that money is on its way to. */
export async function listBalances({ db, rails, clock }: Ctx): Promise<CustodyBalance[]> {
  const since = after(clock.now(), -seenWithinMs)
  const [heldRows, reserved, incoming, outgoing, moving] = await Promise.all([
    heldBalances(db),
    queries.reservedAmounts(db),
    queries.incomingAmounts(db, since),
    queries.outgoingAmounts(db),
    rebalancesInTransit(db),
  ])
  const rows = new Map<string, CustodyBalance>()
  const rowOf = (account: string, asset: string): CustodyBalance => {
    const key = `${account} ${asset}`
    const row = rows.get(key) ?? {
      account,
      asset,
      balance: 0n,
      reserved: 0n,
      incoming: 0n,
      outgoing: 0n,
      available: 0n,
    }
    rows.set(key, row)
    return row
  }
  for (const [name, amount] of heldRows) {
    const [account = '', asset = ''] = name.split(' ')
    rowOf(placeIn(account) ?? account, asset).balance = amount
  }
  for (const { account, asset, amount } of reserved) rowOf(account, asset).reserved = amount
  for (const { account, asset, amount } of outgoing) rowOf(account, asset).outgoing = amount
  for (const { account, asset, amount } of moving) rowOf(account, asset).incoming += amount
  for (const { rail, asset, amount } of incoming) {
    const account = rails.named(rail)?.custodyAccount
    if (account !== undefined) rowOf(account, asset).incoming += amount
  }
  return [...rows.values()]
    .map((row) => ({ ...row, available: row.balance - row.reserved }))
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

const keyOf = ({ account, asset }: CustodyBalance): string => `${account} ${asset}`

/** What an operator books to a custody account, as it was typed. */
export type AccountBooking = { account: string; asset: string; amount: string; reason: string; actor: string }

/**
 * Books what a custody account held before the exchange began, as the operator's capital. Audited. Refuses an account that nothing
 * here uses, and (CONFLICT) an account whose opening balance in this asset is booked already. `bankAccount`: of an account at a bank
 * that was added later, what its first statement opens with; one that was there when the whole was booked is in it.
 */
export async function openBalance(
  ctx: Ctx,
  { bankAccount, ...booking }: AccountBooking & { bankAccount?: string | undefined },
): Promise<bigint> {
  const { account, asset, amount } = checked(ctx, booking)
  await ctx.db.atomic(async (db) => {
    // Nothing is claimed: this locks the account's row, so that two operators who do this at once do it one after the other.
    await reserve(db, [{ place: account, asset, amount: 0n }])
    const openings = await queries.openingsOf(db, { place: account, asset })
    if (bankAccount !== undefined) await checkBankOpening(ctx, db, { account, asset, amount, bankAccount }, openings)
    else if (openings.length > 0)
      throw fieldRefusal('CONFLICT', 'account', `The opening balance of ${asset} at ${account} is booked already.`)
    const [ref, at] = [await ctx.rowIds.next(), ctx.clock.now()]
    const what = { transactionId: null, kind: 'capital', ref, at } as const
    if (bankAccount !== undefined) queries.keepOpening(db, { place: account, account: bankAccount, asset, ref })
    await post(db, ctx, [entry(what, [{ debit: held(account), credit: capital, asset, amount }])])
    processorOf(ctx, account)?.noteChange?.(db, { key: String(ref), asset, amount, at })
    audit(ctx, db, 'balance.opened', booking)
  })
  return amount
}

type BankOpeningOrder = { account: string; asset: string; amount: bigint; bankAccount: string }

async function checkBankOpening(
  { rails }: Ctx,
  db: Db,
  { account: place, asset, amount, bankAccount: account }: BankOpeningOrder,
  openings: queries.Opening[],
): Promise<void> {
  const rail = rails.all.find((one) => one.custodyAccount === place && one.payout?.owns(account))
  const all = rail ? await bankOpenings(db, { rail: rail.name, asset }) : []
  const opened = all.find((one) => one.account === account)
  if (!opened)
    throw fieldRefusal(
      'CONFLICT',
      'bank_account',
      `No statement of ${account} at ${place} has come: it says what the account opens with.`,
    )
  if (openings.some((one) => isOpeningOf(one, opened, all)))
    throw fieldRefusal('CONFLICT', 'bank_account', `The opening balance of ${account} at ${place} is booked already.`)
  if (amount !== opened.opening) {
    const known = bookedAsset(asset)
    const text = known ? formatAmount(opened.opening, known) : ''
    throw badField('amount', `The first statement of ${account} opens with ${text} ${asset}.`)
  }
}

/**
 * Whether an opening balance is that of an account at a bank: its own, or one of the whole rail that was booked once a statement of the account
 * had come, or is what the first statements of the accounts until then, with this one, open with.
 */
function isOpeningOf(
  { at, amount, bank_account: own }: queries.Opening,
  opened: BankOpening,
  all: readonly BankOpening[],
): boolean {
  if (own !== null) return own === opened.account
  let sum = 0n
  const sums = all.map(({ opening }) => (sum += opening))
  return at >= opened.since || sums.slice(all.indexOf(opened)).includes(amount)
}

/** Whether an account of a rail has an opening balance, by itself or in that of its rail. Until the block ends, it gets none. */
export async function isBalanceOpened(
  { rails }: Ctx,
  db: Atomic,
  { rail, account, asset }: { rail: string; account: string; asset: string },
): Promise<boolean> {
  const place = rails.named(rail)?.custodyAccount ?? rail
  await reserve(db, [{ place, asset, amount: 0n }])
  const openings = await queries.openingsOf(db, { place, asset })
  const all = await bankOpenings(db, { rail, asset })
  const opened = all.find((one) => one.account === account)
  return opened !== undefined && openings.some((one) => isOpeningOf(one, opened, all))
}

/** The rail of the processor whose account this is; undefined for an account of another kind. */
export const processorOf = ({ rails }: Pick<Ctx, 'rails'>, account: string): Rail | undefined =>
  rails.all.find((one) => one.custodyAccount === account && one.noteChange)

/** Refuses what cannot be booked there. */
export function checked(
  ctx: Ctx,
  { account, asset: id, amount: text, reason }: AccountBooking,
): { account: string; asset: string; amount: bigint } {
  if (reason.trim() === '') throw badField('reason', 'A reason is required.')
  const asset = bookedAsset(id)
  if (!asset) throw badField('asset', `Unknown asset: ${id}. Assets are written like BTC-BTC.`)
  const accounts = custodyAccounts(ctx)
  if (!accounts.includes(account)) {
    throw badField('account', `Unknown account: ${account}. Accounts are: ${accounts.join(', ')}.`)
  }
  const amount = unitsAt(text, asset, 'amount')
  if (amount === 0n) throw badField('amount', 'The amount must be greater than 0.')
  return { account, asset: asset.id, amount }
}

/** Those of the rails, the venue's, and those that money may be moved to. */
function custodyAccounts({ rails, config }: Pick<Ctx, 'rails' | 'config'>): string[] {
  const own = rails.all.map(({ custodyAccount }) => custodyAccount)
  const listed = config.rebalancing?.destinations.map(({ account }) => account) ?? []
  return [...new Set([...own, ...listed, ...(config.hedging ? [config.hedging.venue] : [])])].toSorted()
}

export const audit = (
  { clock }: Pick<Ctx, 'clock'>,
  db: Parameters<typeof recordAudit>[0],
  action: AuditAction,
  { account, asset, amount, reason, actor }: AccountBooking,
  more: Readonly<Record<string, string>> = {},
): void =>
  recordAudit(db, {
    at: clock.now(),
    actor,
    action,
    subject: `custody:${account}`,
    before: null,
    after: { asset, amount, reason, ...more },
  })

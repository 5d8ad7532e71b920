import { type Asset, formatAmount } from '../../platform/money/amount.ts'
import { inTime } from '../../platform/lib/in-time.ts'
import { type Listing, listings } from '../../reference/catalog/asset.ts'
import { findNetwork } from '../../reference/catalog/network.ts'
import { bookedAsset, nativeAsset } from '../../reference/catalog/sync-assets.ts'
import { defaultTerms } from '../availability/partner-terms.ts'
import { resolve } from '../availability/resolve.ts'
import type { Ctx } from '../context.ts'
import { comparedWithinMs, lastCompared } from '../reconciliation/signed-unknown.ts'
import { bareSum } from '../pricing/sum.ts'
import { settlingMomentOf } from '../transactions/policy.ts'
import type { Check } from './doctor-database.ts'

const ok = (check: string, message: string): Check => ({ check, state: 'ok', message })
const fail = (check: string, message: string): Check => ({ check, state: 'fail', message })

/** How long the signer may take to say how it is. */
const signerMs = 2_000

/** The process that holds keys: whether it answers and signs, knows what it has signed, and signs what is offered. */
export async function checkSigner(ctx: Ctx): Promise<Check[]> {
  const { signer } = ctx
  if (!signer) return []
  const answer = await inTime(signerMs, signer.call<Answer>('/status', {}))
  const age = ctx.clock.realNow().getTime() - (await lastCompared(ctx.db))
  return [
    ...checkKeys(answer),
    checkJournal(answer, age),
    checkCaps(ctx),
    checkFees(ctx, answer),
    ...(await checkAddresses(ctx, answer)),
  ]
}

/** What the signer says of itself. One of an earlier version says less. */
type Answer = {
  halted: string | null
  signatures: number
  assets: string[]
  lines?: number
  has_seen?: boolean
  fees?: Record<string, string>
  own_addresses?: string
}

/** A transfer that may need a larger fee than the signer's policy allows waits until fees are lower. */
function checkFees({ rails }: Ctx, { fees = {} }: Answer): Check {
  const needed = new Map<string, bigint>()
  for (const { asset, network } of listings) {
    const payout = rails.forPayout('CRYPTO', network.code)?.payout
    const fee = payout?.most?.(asset.id) === undefined ? undefined : payout.mostFee(asset.id)
    if (fee && fee.amount > (needed.get(network.code) ?? 0n)) needed.set(network.code, fee.amount)
  }
  const short = Object.entries(fees).flatMap(([code, bound]) => {
    const most = needed.get(code) ?? 0n
    const network = findNetwork(code)
    if (!network || most <= BigInt(bound)) return []
    const coin = nativeAsset(network)
    return `${formatAmount(BigInt(bound), coin)} of ${formatAmount(most, coin)} ${coin.ticker}`
  })
  if (short.length === 0) return ok('signer_fees', "The fee limits in the signer's policy are high enough.")
  const message = `Its policy caps fees below what a transfer may need: ${short.join('; ')}. Payouts wait while fees are higher. Raise max_amount in policy.yaml, and restart the signer.`
  return { check: 'signer_fees', state: 'warn', message }
}

/** Beyond the bound of its policy the signer sends no gas, and tokens stay at the addresses of orders. */
async function checkAddresses({ db }: Ctx, { own_addresses: text, assets }: Answer): Promise<Check[]> {
  const isOfEvm = (id: string) => findNetwork(bookedAsset(id)?.network ?? '')?.family === 'evm'
  if (text === undefined || !assets.some(isOfEvm)) return []
  const [row] = await db.sql<{ last: bigint | null }>`
    select last_value as last from pg_sequences where schemaname = 'public' and sequencename = 'row_ids'`
  const [last, bound] = [row?.last ?? 0n, BigInt(text)]
  const said = `Row numbers are at ${last}, and own_addresses of its policy is ${bound}.`
  if (last * 10n < bound * 9n) return [ok('signer_addresses', said)]
  const message = `${said} Addresses from row ${bound} on get no gas, so their tokens can't be collected. Raise own_addresses in policy.yaml, and restart the signer.`
  return [{ check: 'signer_addresses', state: last < bound ? 'warn' : 'fail', message }]
}

/** An older copy of the journal does not know what was signed since. `age`: how long ago it was compared with the books, in milliseconds. */
function checkJournal(
  { lines = 0, has_seen: hasSeen = true }: { lines?: number; has_seen?: boolean },
  age: number,
): Check {
  if (!hasSeen) {
    return fail(
      'signer_journal',
      "The signer's journal is an older copy: nothing is signed. Bring back the newest one.",
    )
  }
  if (age > comparedWithinMs) {
    const message = `No worker has compared the signer's journal with the books for ${Math.floor(age / 1_000)} seconds. What it has signed is not known.`
    return fail('signer_journal', message)
  }
  return ok('signer_journal', `The signer's journal has ${lines} lines, and all that was seen before.`)
}

function checkKeys({ halted, signatures, assets }: Pick<Answer, 'halted' | 'signatures' | 'assets'>): Check[] {
  if (halted !== null)
    return [fail('signer', 'It is halted and signs nothing. Two approvers resume it: cambio signer resume')]
  if (assets.length === 0)
    return [fail('signer', 'Its policy has no caps, so it signs nothing. Edit policy.yaml and restart it.')]
  return [ok('signer', `Transfers signed: ${signatures}. Its policy has caps for ${assets.join(', ')}.`)]
}

/** A coin's largest order, and what the caps allow of it. */
type Compared = { asset: Asset; largest: bigint; most: bigint; fee: { asset: string; amount: bigint } | undefined }

const compared = (ctx: Ctx): Compared[] => listings.flatMap((target) => compareWithCaps(ctx, target) ?? [])
const isShort = ({ largest, most }: Compared): boolean => largest > most

/** Compares the largest order of each coin that the signer pays out with its caps. What exceeds them is not offered. */
function checkCaps(ctx: Ctx): Check {
  const all = compared(ctx)
  const short = all.filter(isShort)
  const names = all.map(({ asset }) => nameOf(asset)).join(', ')
  if (short.length === 0) {
    const message = names === '' ? 'No coin has both a price and a cap.' : `They allow the largest orders of ${names}.`
    return ok('signer_caps', message)
  }
  const message = `The signer's caps are below the largest orders, which are not offered: ${short.map(shownShort).join('; ')}.`
  return { check: 'signer_caps', state: 'warn', message }
}

const nameOf = ({ ticker, network }: Asset): string => (ticker === network ? ticker : `${ticker} on ${network}`)

function shownShort({ asset, largest, most, fee }: Compared): string {
  const coin = fee && bookedAsset(fee.asset)
  const shown =
    most === 0n
      ? `nothing of ${nameOf(asset)}`
      : `${formatAmount(most, asset)} of ${formatAmount(largest, asset)} ${nameOf(asset)}`
  return coin ? `${shown}, after a fee of up to ${formatAmount(fee.amount, coin)} ${coin.ticker}` : shown
}

/** What the largest orders are paid with: each coin is bought, and swapped for one of the two others. */
const sources = ['EUR', 'BTC', 'ETH']

/** The largest order of a coin without regard to caps, and what they allow; undefined where it has no price, or nothing bounds it. */
function compareWithCaps(ctx: Ctx, { asset, currency, network }: Listing): Compared | undefined {
  const payout = ctx.rails.forPayout('CRYPTO', network.code)?.payout
  const most = payout?.most?.(asset.id)
  if (most === undefined) return undefined
  const moment = settlingMomentOf(ctx, ctx.clock.now())
  const orders = sources.flatMap((fromCurrency) => {
    const ask = { fromCurrency, toCurrency: currency.ticker, toNetwork: network.code }
    const outcome = resolve(moment, defaultTerms, ask)
    if (!outcome.available) return []
    const { terms, range } = outcome.exchange
    return bareSum(terms, range.max, { feesIncluded: true }).toAmount
  })
  const largest = orders.reduce((one, other) => (one > other ? one : other), 0n)
  return largest === 0n ? undefined : { asset, largest, most, fee: payout?.mostFee(asset.id) }
}

/** Says in the log what `checkCaps` finds, where other coins are short than before: at the start, and when policies change. */
export function capsWatch(ctx: Ctx): () => void {
  let said = ''
  return () => {
    if (!ctx.signer) return
    try {
      const coins = shortCoins(ctx)
      if (coins !== '' && coins !== said) ctx.log.warn({ check: 'signer_caps' }, checkCaps(ctx).message)
      said = coins
    } catch (err) {
      ctx.log.warn({ err, check: 'signer_caps' }, "Failed to compare the signer's caps with the largest orders.")
    }
  }
}

/** The coins whose caps are below their largest orders; their amounts follow the price. */
const shortCoins = (ctx: Ctx): string =>
  compared(ctx)
    .filter(isShort)
    .map(({ asset }) => asset.id)
    .join(' ')

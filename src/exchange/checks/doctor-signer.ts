import { type Asset, formatAmount } from '../../platform/money/amount.ts'
import { inTime } from '../../platform/lib/in-time.ts'
import { type Listing, listings } from '../../reference/catalog/asset.ts'
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
  type Answer = { halted: string | null; signatures: number; assets: string[]; lines?: number; has_seen?: boolean }
  const answer = await inTime(signerMs, signer.call<Answer>('/status', {}))
  const age = ctx.clock.realNow().getTime() - (await lastCompared(ctx.db))
  return [...checkKeys(answer), checkJournal(answer, age), checkCaps(ctx)]
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

function checkKeys({
  halted,
  signatures,
  assets,
}: {
  halted: string | null
  signatures: number
  assets: string[]
}): Check[] {
  if (halted !== null)
    return [fail('signer', 'It is halted and signs nothing. Two approvers resume it: cambio signer resume')]
  if (assets.length === 0)
    return [fail('signer', 'Its policy has no caps, so it signs nothing. Edit policy.yaml and restart it.')]
  return [ok('signer', `Transfers signed: ${signatures}. Its policy has caps for ${assets.join(', ')}.`)]
}

/** A coin's largest order, and what the caps allow of it. */
type Compared = { asset: Asset; largest: bigint; most: bigint }

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

const shownShort = ({ asset, largest, most }: Compared): string =>
  most === 0n
    ? `nothing of ${nameOf(asset)}`
    : `${formatAmount(most, asset)} of ${formatAmount(largest, asset)} ${nameOf(asset)}`

/** What the largest orders are paid with: each coin is bought, and swapped for one of the two others. */
const sources = ['EUR', 'BTC', 'ETH']

/** The largest order of a coin without regard to caps, and what they allow; undefined where it has no price, or nothing bounds it. */
function compareWithCaps(ctx: Ctx, { asset, currency, network }: Listing): Compared | undefined {
  const most = ctx.rails.forPayout('CRYPTO', network.code)?.payout.most?.(asset.id)
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
  return largest === 0n ? undefined : { asset, largest, most }
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

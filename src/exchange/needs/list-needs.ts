import type { Permission } from '../operators/roles.ts'
import { rateBetween } from '../pricing/rate.ts'
import { settlingMomentOf } from '../transactions/policy.ts'
import { after } from '../../platform/lib/clock.ts'
import { formatAmount } from '../../platform/money/amount.ts'
import { tenTo } from '../../platform/money/ratio.ts'
import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import type { Ctx } from '../context.ts'
import { assetText } from './asset-text.ts'
import { type Finding, mostOfEach, type NeedKind, type NeedSource, type Urgency } from './need.ts'
import { needSources } from './sources.ts'

/** Something that a person is needed for. */
export type Need = {
  kind: NeedKind
  cause: string
  subject: string
  urgency: Urgency
  permission: Permission
  since: Date
  /** How long it has lasted, in milliseconds of the clock that `since` is of. */
  lastedMs: number
  /** The public id of the order that it holds up. */
  order: bigint | null
  asset: string | null
  amount: bigint | null
  /** What is at stake, in euro cents at the market of now; null where there is no amount or no price. */
  stakeEurCents: bigint | null
  /** What is the matter and what to do, for a person. */
  sentence: string
  /** The page of the console where it is dealt with. */
  page: string
}

const ranks: Readonly<Record<Urgency, number>> = { now: 0, today: 1, later: 2 }

/** What one operator is shown: `may` says for what. */
export type NeedFilter = { may?(permission: Permission): boolean }

/**
 * Lists what a person is needed for, the most urgent first, then by the stake, then the longest. Each thing once, whatever finds
 * it. At most a thousand of each source.
 */
export const listNeeds = async (ctx: Ctx, filter: NeedFilter = {}): Promise<Need[]> =>
  neededOf(await lookForNeeds(ctx), filter)

/** What was found, with what the sources call it. */
type Sighting = { identity: string; need: Need }

/** Looks for everything that a person is needed for, be it found twice. */
export const lookForNeeds = async (ctx: Ctx): Promise<Sighting[]> =>
  (await Promise.all(needSources.map((source) => lookInto(ctx, source)))).flat()

/** Of what was found, what somebody is needed for: each thing once, as the first source says it that they are shown. */
export function neededOf(found: readonly Sighting[], { may = () => true }: NeedFilter): Need[] {
  const identities = new Set<string>()
  const once = found
    .filter(({ need }) => may(need.permission))
    .filter(({ identity }) => {
      const isNew = !identities.has(identity)
      identities.add(identity)
      return isNew
    })
  return once
    .map(({ need }) => need)
    .toSorted(
      (one, other) => ranks[one.urgency] - ranks[other.urgency] || byStake(one, other) || other.lastedMs - one.lastedMs,
    )
}

/** The greatest stake first; what has no price comes last. */
const byStake = ({ stakeEurCents: one }: Need, { stakeEurCents: other }: Need): number => {
  const [left, right] = [one ?? -1n, other ?? -1n]
  return left === right ? 0 : left > right ? -1 : 1
}

async function lookInto(ctx: Ctx, source: NeedSource): Promise<Sighting[]> {
  const { kind, permission, causes, clock, identity } = source
  const now = clock === 'real' ? ctx.clock.realNow() : ctx.clock.now()
  const before = Object.entries(causes).map(([cause, { afterMs = 0 }]) => [cause, after(now, -afterMs)] as const)
  const rows = await source.find(ctx, { before, limit: mostOfEach })
  return rows.map((row) => {
    const cause = causes[row.cause]
    if (!cause) throw new Error(`A need has an unknown cause: ${row.cause}.`)
    const { subject, since, order, asset, amount } = row
    const need = {
      kind,
      cause: row.cause,
      subject,
      urgency: cause.urgency,
      permission,
      since,
      order,
      asset,
      amount,
      lastedMs: Math.max(0, now.getTime() - since.getTime()),
      stakeEurCents: euroCents(ctx, asset, amount),
      sentence: filled(cause.sentence, row),
      page: source.page(row),
    }
    return { identity: identity?.(row) ?? `${kind} ${subject}`, need }
  })
}

function euroCents(ctx: Ctx, id: string | null, amount: bigint | null): bigint | null {
  const asset = id === null ? undefined : bookedAsset(id)
  if (!asset || amount === null) return null
  if (asset.ticker === 'EUR') return (amount * 100n) / tenTo(asset.decimals)
  const rate = rateBetween(settlingMomentOf(ctx, ctx.clock.now()), asset.ticker, 'EUR')
  return rate ? (amount * 100n * rate.price.numerator) / (rate.price.denominator * tenTo(asset.decimals)) : null
}

const filled = (sentence: string, { subject, order, about, asset, amount, count }: Finding): string =>
  sentence
    .replaceAll('{subject}', () => subject)
    .replaceAll('{order}', () => String(order ?? subject))
    .replaceAll('{about}', () => about ?? '')
    .replaceAll('{amount}', () => amountText(amount, asset))
    .replaceAll('{asset}', () => assetText(asset ?? ''))
    .replaceAll('{count}', () => String(count ?? 0))
    .replaceAll(/ {2,}/g, ' ')
    .trim()

function amountText(amount: bigint | null, id: string | null): string {
  const asset = id === null ? undefined : bookedAsset(id)
  if (!asset || amount === null) return 'an unknown amount'
  return `${formatAmount(amount, asset)} ${assetText(asset.id)}`
}

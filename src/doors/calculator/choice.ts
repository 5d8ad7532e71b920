import { isAvailable, type Offers } from '../../exchange/availability/offers.ts'
import { type Listing, listingById, listings } from '../../reference/catalog/asset.ts'
import type { Language } from '../../platform/language/language.ts'
import { type Presets, type Side, sides } from './presets.ts'

/** What the customer has chosen so far. Always complete: anything missing or impossible comes from the presets. */
export type Choice = {
  side: Side
  from: Listing
  to: Listing
  /** Which amount the customer typed: the one they pay (`direct`), or the one they receive (`reverse`). */
  direction: 'direct' | 'reverse'
  amount: Amount
  /** The preferred payment category, if one was chosen or set. Another may be in use while this one is unavailable. */
  category: string | undefined
}

/** What was typed, and its plain decimal; undefined if it isn't a number, or is ambiguous. */
export type Amount = { typed: string; plain: string | undefined }

/** The currencies to choose from. */
export type Menu = { from: readonly Listing[]; to: readonly Listing[] }

/** The fields of the form; empty when the page is opened. */
export type Typed = Readonly<Record<string, string>>

/** The currencies on a side: those the partner listed, if they are available now. A swap is to another coin than it is from. */
function menuOf({ fiat, coins }: Presets, offers: Offers, side: Side): Menu {
  const isOffered = ({ asset }: Listing) =>
    isAvailable(offers.assets.get(asset.id)) && offers.assets.get(asset.id)?.[side] === true
  const ofKind = (kind: Listing['currency']['kind']) => listings.filter(({ currency }) => currency.kind === kind)
  const money = (fiat ?? ofKind('FIAT')).filter(isOffered)
  const goods = (coins ?? ofKind('CRYPTO')).filter(isOffered)
  if (side === 'swap') return goods.length > 1 ? { from: goods, to: goods } : { from: [], to: [] }
  return side === 'buy' ? { from: money, to: goods } : { from: goods, to: money }
}

/** The sides that a visitor may switch to, and the one of the presets. */
export const sidesOf = (presets: Presets, offers: Offers): Side[] =>
  sides.filter((side) => side === presets.side || (presets.mayTurn && menuOf(presets, offers, side).from.length > 0))

/** Reads a form. Undefined if there is nothing to choose from on that side. */
export function choiceOf(
  presets: Presets,
  offers: Offers,
  { typed, language }: { typed: Typed; language: Language },
): { choice: Choice; menu: Menu } | undefined {
  const asked = sides.find((one) => one === typed.side) ?? presets.side
  const side = presets.mayTurn ? asked : presets.side
  const menu = menuOf(presets, offers, side)
  const isTurned = typed.was_side !== undefined && typed.was_side !== side
  const [money, coin] = [presets.defaultFiat, presets.defaultCoin]
  const [first, second] = side === 'buy' ? [money, coin] : [coin, money]
  // Switching sides keeps both currencies and swaps them; to a swap, it keeps the coin.
  const from = pick(menu.from, [...(isTurned ? [typed.to, typed.from] : [typed.from]), first?.asset.id])
  const others = side === 'swap' ? menu.to.filter((one) => one !== from) : menu.to
  const to = pick(others, [...(isTurned ? [typed.from, typed.to] : [typed.to]), second?.asset.id])
  if (!from || !to) return undefined

  const isReverse = !isTurned && directionOf(typed) === 'reverse'
  const amount = isReverse ? typed.to_amount : isOutdated(typed, from, to) ? undefined : typed.from_amount
  const choice: Choice = {
    side,
    from,
    to,
    direction: isReverse ? 'reverse' : 'direct',
    amount: amountOf((isTurned ? undefined : amount) ?? firstAmount(presets, side, from, language), language),
    category: presets.paymentCategory ?? preferenceOf(typed),
  }
  return { choice, menu: { ...menu, to: others } }
}

/** Without scripts, the field that was typed into is the one that has changed. */
function directionOf({ edited, from_amount, to_amount, was_from_amount, was_to_amount }: Typed): Choice['direction'] {
  if (edited === 'direct' || edited === 'reverse') return edited
  const isTyped = to_amount !== undefined && to_amount.trim() !== '' && to_amount !== was_to_amount
  return isTyped && from_amount === was_from_amount ? 'reverse' : 'direct'
}

/** Whether the amount to pay no longer applies: it was in another currency, or was empty for another coin. */
function isOutdated({ from_amount, was_from, was_to }: Typed, from: Listing, to: Listing): boolean {
  if (was_from !== undefined && was_from !== from.asset.id) return true
  return from_amount?.trim() === '' && was_to !== undefined && was_to !== to.asset.id
}

/** A category that differs from the one shown has just been chosen; otherwise the earlier preference stays. */
const preferenceOf = ({ category, was_category, wish }: Typed): string | undefined =>
  (category === was_category ? wish : (category ?? wish)) || undefined

const amountOf = (typed: string, language: Language): Amount => ({ typed, plain: language.readNumber(typed) })

function firstAmount({ defaultFiatAmount }: Presets, side: Side, { currency }: Listing, { typed }: Language): string {
  return typed((side === 'buy' ? defaultFiatAmount : undefined) ?? currency.defaultExchangeValue)
}

function pick(menu: readonly Listing[], wanted: readonly (string | undefined)[]): Listing | undefined {
  const found = wanted.flatMap((id) => (id === undefined ? [] : (listingById(id) ?? [])))
  return found.find((listing) => menu.includes(listing)) ?? menu[0]
}

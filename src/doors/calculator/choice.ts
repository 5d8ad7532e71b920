import { isAvailable, type Offers } from '../../exchange/availability/offers.ts'
import { type Listing, listingById, listings } from '../../reference/catalog/asset.ts'
import type { Language } from '../../platform/language/language.ts'
import type { Presets, Side } from './presets.ts'

/** What the reader has chosen so far. Always whole: what was not said, or cannot be, is as the presets have it. */
export type Choice = {
  side: Side
  from: Listing
  to: Listing
  /** Which amount is the reader's: the one that is paid, or the one that is received. */
  direction: 'direct' | 'reverse'
  amount: Amount
  /** The payment category that is wished, where one was chosen or set. Another may be in use while this one is closed. */
  category: string | undefined
}

/** What was typed, and what it is as a plain decimal; undefined for what is no number, or may be two. */
export type Amount = { typed: string; plain: string | undefined }

/** What may be chosen at each end. */
export type Menu = { from: readonly Listing[]; to: readonly Listing[] }

/** What a form of the calculator sends; empty when the page is opened. */
export type Typed = Readonly<Record<string, string>>

/** What may be paid and received on a side: what the partner listed, of what is on offer there now. */
function menuOf({ fiat, coins }: Presets, offers: Offers, side: Side): Menu {
  const isOffered = ({ asset }: Listing) =>
    isAvailable(offers.assets.get(asset.id)) && offers.assets.get(asset.id)?.[side] === true
  const ofKind = (kind: Listing['currency']['kind']) => listings.filter(({ currency }) => currency.kind === kind)
  const money = (fiat ?? ofKind('FIAT')).filter(isOffered)
  const goods = (coins ?? ofKind('CRYPTO')).filter(isOffered)
  return side === 'buy' ? { from: money, to: goods } : { from: goods, to: money }
}

/** Reads a form. Undefined when there is nothing to choose from on that side. */
export function choiceOf(
  presets: Presets,
  offers: Offers,
  { typed, language }: { typed: Typed; language: Language },
): { choice: Choice; menu: Menu } | undefined {
  const asked = typed.side === 'buy' || typed.side === 'sell' ? typed.side : presets.side
  const side = presets.mayTurn ? asked : presets.side
  const menu = menuOf(presets, offers, side)
  const isTurned = typed.was_side !== undefined && typed.was_side !== side
  const [money, coin] = [presets.defaultFiat, presets.defaultCoin]
  const [first, second] = side === 'buy' ? [money, coin] : [coin, money]
  // A turn keeps both currencies and changes their places.
  const from = pick(menu.from, [isTurned ? typed.to : typed.from, first?.asset.id])
  const to = pick(menu.to, [isTurned ? typed.from : typed.to, second?.asset.id])
  if (!from || !to) return undefined

  const isReverse = !isTurned && directionOf(typed) === 'reverse'
  const amount = isReverse ? typed.to_amount : isAnew(typed, from, to) ? undefined : typed.from_amount
  const choice: Choice = {
    side,
    from,
    to,
    direction: isReverse ? 'reverse' : 'direct',
    amount: amountOf((isTurned ? undefined : amount) ?? firstAmount(presets, side, from, language), language),
    category: presets.paymentCategory ?? wishOf(typed),
  }
  return { choice, menu }
}

/** Without scripts nobody says which box was typed into: it is the one that has changed. */
function directionOf({ edited, from_amount, to_amount, was_from_amount, was_to_amount }: Typed): Choice['direction'] {
  if (edited === 'direct' || edited === 'reverse') return edited
  const isTyped = to_amount !== undefined && to_amount.trim() !== '' && to_amount !== was_to_amount
  return isTyped && from_amount === was_from_amount ? 'reverse' : 'direct'
}

/** Whether what was paid says nothing any more: it was of another currency, or came to nothing for another coin. */
function isAnew({ from_amount, was_from, was_to }: Typed, from: Listing, to: Listing): boolean {
  if (was_from !== undefined && was_from !== from.asset.id) return true
  return from_amount?.trim() === '' && was_to !== undefined && was_to !== to.asset.id
}

/** A category that does not stand in the list as it was shown has just been chosen; else the wish of before stays. */
const wishOf = ({ category, was_category, wish }: Typed): string | undefined =>
  (category === was_category ? wish : (category ?? wish)) || undefined

const amountOf = (typed: string, language: Language): Amount => ({ typed, plain: language.readNumber(typed) })

function firstAmount({ defaultFiatAmount }: Presets, side: Side, { currency }: Listing, { typed }: Language): string {
  return typed((side === 'buy' ? defaultFiatAmount : undefined) ?? currency.defaultExchangeValue)
}

function pick(menu: readonly Listing[], wanted: readonly (string | undefined)[]): Listing | undefined {
  const found = wanted.flatMap((id) => (id === undefined ? [] : (listingById(id) ?? [])))
  return found.find((listing) => menu.includes(listing)) ?? menu[0]
}

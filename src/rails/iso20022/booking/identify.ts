import { createHmac } from 'node:crypto'

import type { Bank } from '../bank.ts'
import { chargeKept, type CheckedStatement, type StatedBooking } from '../reading/interpret.ts'
import {
  type Agreement,
  compareBookings,
  type ComparedBooking,
  isNearby,
  type MessageContext,
  netOf,
  sightingsOf,
} from './agree.ts'
import type { Doubt, StoredBooking } from './queries.ts'

/** A booking of a statement with the known bookings that it is: none where it is new, several where one stands for all. */
export type IdentifiedBooking = ComparedBooking & {
  known: StoredBooking[]
  /** Why it may be a known booking after all, although the messages contradict each other, or what persons have decided about. */
  doubt: { why: Doubt; of: Pick<StoredBooking, 'id'> | undefined } | undefined
  /** For a charge that is new: the known booking that it was kept of. */
  chargeOf: bigint | null
}

/** What a stated booking is compared by. */
export function comparedBooking(bank: Pick<Bank, 'keys'>, stated: StatedBooking): ComparedBooking {
  const hashed = (purpose: string, text: string): string | null => hashOf(bank, purpose, text)
  // Payments of ours that are debited in one amount have the file, or the part of it, in common.
  const isOurLump = stated.isLump && stated.direction === 'out'
  return {
    stated,
    endToEnd: endToEndHash(
      bank,
      stated.endToEndId || (isOurLump ? stated.paymentInformationId || stated.messageId : ''),
    ),
    payer: hashed('account', stated.payer.account.replaceAll(/\s/g, '').toUpperCase()),
    name: hashed('name', namePartsOf(stated.payer.name)),
  }
}

const hashOf = ({ keys }: Pick<Bank, 'keys'>, purpose: string, text: string): string | null =>
  text === '' ? null : createHmac('sha256', keys.hashes).update(`${purpose}\n${text}`).digest('base64url')

/** What a booking that names an end-to-end id is known by. */
export const endToEndHash = (bank: Pick<Bank, 'keys'>, id: string): string | null => hashOf(bank, 'end-to-end', id)

/** The parts of a name in one order and one spelling: banks turn them round and drop accents. */
const namePartsOf = (name: string): string =>
  name
    .normalize('NFD')
    .toUpperCase()
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .map((part) => part.replaceAll(/\p{M}/gu, ''))
    .filter((part) => part !== '')
    .toSorted()
    .join(' ')

/**
 * Finds which bookings of a statement are known from an earlier message. A known one is the same only where nothing that both
 * messages say contradicts it, and each is taken once: those that agree most come first. An entry for several payments may have
 * been reported payment by payment before, or the other way round.
 */
export function identify(
  bank: Pick<Bank, 'keys'>,
  { bookings, kind }: Pick<CheckedStatement, 'bookings' | 'kind'>,
  {
    known: all,
    statementId,
    overlaps = false,
  }: { known: readonly StoredBooking[]; statementId: bigint | null; overlaps?: boolean },
): IdentifiedBooking[] {
  const message: MessageContext = { kind, statementId, overlaps }
  const compared = bookings.map((one) => comparedBooking(bank, one))
  const charges = chargesOf(all)
  const known = all.map((one) => (charges.has(one.id) ? one : { ...one, entry_amount: null }))
  const candidates = [byReferences(compared, known), byDays(compared, known)]
  const matches: Matches = { found: new Map(), used: new Set() }
  // What was kept of a payment goes with it, so payments come first.
  const payments = candidates.map((pairs) =>
    pairs.filter(([index, one]) => compared[index]?.stated.isCharge === false && one.kind !== 'charge'),
  )
  for (const pairs of payments) match(compared, pairs, message, matches)
  takeCharges(compared, charges, matches)
  for (const pairs of candidates) match(compared, pairs, message, matches)
  const { found, used } = matches
  const byEntry = grouped(known, ({ entry_reference: entry, servicer_reference: bankOwn }) =>
    [...new Set([entry ?? '', bankOwn ?? ''])].filter((name) => name !== ''),
  )
  const rest = compared.map((one, index) => found.get(index) ?? partsOf(one, byEntry, used, message))
  const doubts = new Map<number, { why: Doubt; of: StoredBooking }>()
  for (const [index, one] of candidates.flat()) {
    const stated = compared[index]
    if (!stated || one.state === 'withdrawn' || doubts.has(index) || used.has(one.id)) continue
    const { doubt } = compareBookings(stated, one, message)
    if (doubt) doubts.set(index, { why: doubt, of: one })
  }
  const indexOf = new Map(bookings.map((one, index) => [one, index]))
  return compared.flatMap((one, index): IdentifiedBooking[] => {
    const { keptOf } = one.stated
    const own = rest[index] ?? []
    const [payment] = (keptOf && found.get(indexOf.get(keptOf) ?? -1)) ?? []
    // The payment is known as what came: what was kept of it is not in that.
    if (keptOf && payment && own.length === 0 && payment.amount !== keptOf.amount) return []
    const identified = { ...one, known: own, doubt: own.length > 0 ? undefined : doubts.get(index) }
    return asKnown({ ...identified, chargeOf: own.length === 0 ? (payment?.id ?? null) : null }, charges)
  })
}

/** What was found so far: the known bookings of stated ones, by their place, and all that are taken. */
type Matches = { found: Map<number, StoredBooking[]>; used: Set<bigint> }

/** Takes pairs that are one booking, those that agree most first. */
function match(
  compared: ComparedBooking[],
  candidates: [number, StoredBooking][],
  message: MessageContext,
  { found, used }: Matches,
): void {
  const agreements = candidates.flatMap(([index, one]): [number, StoredBooking, Agreement][] => {
    const stated = compared[index]
    if (!stated || found.has(index) || used.has(one.id)) return []
    const agreement = compareBookings(stated, one, message)
    return agreement.isSame ? [[index, one, agreement]] : []
  })
  for (const [index, one] of agreements.toSorted((a, b) => b[2].score - a[2].score)) {
    if (found.has(index) || used.has(one.id)) continue
    found.set(index, [one])
    used.add(one.id)
  }
}

/** What the bank kept of known bookings, by those. */
const chargesOf = (known: readonly StoredBooking[]): Map<bigint, StoredBooking> =>
  new Map(known.flatMap((one) => (one.charge_of === null || one.state === 'withdrawn' ? [] : [[one.charge_of, one]])))

/** Takes what was kept of the payments that were found, where both messages say the same of it or only one does. */
function takeCharges(compared: ComparedBooking[], charges: Map<bigint, StoredBooking>, { found, used }: Matches): void {
  const charged = new Map(compared.flatMap(({ stated }, index) => (stated.keptOf ? [[stated.keptOf, index]] : [])))
  for (const [index, [payment]] of found) {
    const stated = compared[index]?.stated
    const charge = payment && charges.get(payment.id)
    const own = stated && charged.get(stated)
    const isSame = stated?.amount === payment?.amount
    if (own !== undefined && !isSame) found.set(own, [])
    if (!charge || (isSame && (own === undefined || compared[own]?.stated.amount !== charge.amount))) continue
    if (own !== undefined && isSame) found.set(own, [charge])
    used.add(charge.id)
  }
}

/** A booking with the amounts under which it is known: the message that came first has said what was sent, and what was kept of it. */
function asKnown(one: IdentifiedBooking, charges: Map<bigint, StoredBooking>): IdentifiedBooking[] {
  const [known, ...others] = one.known
  const { stated } = one
  if (!known || others.length > 0 || stated.amount === known.amount || stated.net !== netOf(known)) return [one]
  const payment = { ...stated, amount: known.amount }
  const charge = charges.get(known.id)
  const none = { endToEnd: null, payer: null, name: null, doubt: undefined, chargeOf: null }
  return [
    { ...one, stated: payment },
    ...(charge && known.entry_amount !== null
      ? [{ ...none, stated: chargeKept(payment, charge.amount), known: [charge] }]
      : []),
  ]
}

/** Pairs that share a reference or a payer. */
function byReferences(compared: ComparedBooking[], known: readonly StoredBooking[]): [number, StoredBooking][] {
  const namesOfKnown = (one: StoredBooking): string[] => [
    ...[one.servicer_reference, one.entry_reference].flatMap((name) => (name ? [`bank ${name}`] : [])),
    ...(one.stated_reference === '' ? [] : [`ours ${one.stated_reference}`]),
    ...(one.end_to_end ? [`end ${one.end_to_end}`] : []),
    ...(one.kind === 'charge' && one.entry_reference ? [`charge ${one.entry_reference}`] : []),
    ...(one.payer_hash ? amountsOf(one).map((amount) => `payer ${one.payer_hash} ${amount}`) : []),
  ]
  const namesOfStated = ({ stated, endToEnd, payer }: ComparedBooking): string[] => [
    ...(stated.servicerReference === '' ? [] : [`bank ${stated.servicerReference}`]),
    ...(stated.entryReference === '' || stated.net !== stated.entryAmount ? [] : [`bank ${stated.entryReference}`]),
    ...(stated.reference === '' ? [] : [`ours ${stated.reference}`]),
    ...(endToEnd === null ? [] : [`end ${endToEnd}`]),
    ...(stated.isCharge && stated.entryReference !== '' ? [`charge ${stated.entryReference}`] : []),
    ...(payer === null ? [] : [...new Set([stated.amount, stated.net])].map((amount) => `payer ${payer} ${amount}`)),
  ]
  return pairs(compared.map(namesOfStated), grouped(known, namesOfKnown))
}

/** Pairs of one amount and day. What both say of references was compared before, so one side must lack one. */
function byDays(compared: ComparedBooking[], known: readonly StoredBooking[]): [number, StoredBooking][] {
  const daysOf = (one: StoredBooking): string[] => {
    const days = [one.booked_on, one.value_on, ...sightingsOf(one)].filter((day) => day !== '')
    return (days.length === 0 ? ['?'] : days).flatMap((day) => amountsOf(one).map((amount) => `${amount} ${day}`))
  }
  const wanted = (hasReference: boolean) =>
    compared.map(({ stated }) =>
      (stated.reference !== '') === hasReference
        ? [stated.bookedOn, stated.valueOn, '?'].flatMap((day) => [`${stated.amount} ${day}`, `${stated.net} ${day}`])
        : [],
    )
  const bare = known.filter((one) => one.stated_reference === '')
  return [...pairs(wanted(true), grouped(bare, daysOf)), ...pairs(wanted(false), grouped(known, daysOf))]
}

const amountsOf = (one: StoredBooking): bigint[] => [...new Set([one.amount, netOf(one)])]

function grouped(
  known: readonly StoredBooking[],
  namesOf: (booking: StoredBooking) => string[],
): Map<string, StoredBooking[]> {
  const groups = new Map<string, StoredBooking[]>()
  for (const booking of known) {
    for (const name of namesOf(booking)) {
      const group = groups.get(name)
      if (group) group.push(booking)
      else groups.set(name, [booking])
    }
  }
  return groups
}

const pairs = (names: string[][], groups: Map<string, StoredBooking[]>): [number, StoredBooking][] =>
  names.flatMap((own, index) =>
    [...new Set(own.flatMap((name) => groups.get(name) ?? []))].map((one): [number, StoredBooking] => [index, one]),
  )

/** The payments of an entry that lists none, or the entry that a payment is a part of. */
function partsOf(
  { stated }: ComparedBooking,
  byEntry: Map<string, StoredBooking[]>,
  used: Set<bigint>,
  message: MessageContext,
): StoredBooking[] {
  const known = byEntry.get(stated.entryReference) ?? []
  const isNear = (one: StoredBooking): boolean => isNearby(stated, one, message)
  if (stated.isLump) {
    const parts = known.filter(
      (one) =>
        one.entry_reference === stated.entryReference &&
        one.amount !== stated.amount &&
        !used.has(one.id) &&
        isNear(one),
    )
    const sum = parts.reduce((all, one) => all + (one.direction === stated.direction ? one.amount : -one.amount), 0n)
    if (parts.length === 0 || sum !== stated.amount) return []
    for (const { id } of parts) used.add(id)
    return parts
  }
  // Of the only payment of an entry, all that both messages say is compared.
  const payment = stated.keptOf ?? stated
  if (payment.net === payment.entryAmount) return []
  // The entry as a whole was reported before its payments: it stays one booking, and every payment is part of it.
  const whole = known.find(
    (one) =>
      (one.servicer_reference ?? one.entry_reference) === stated.entryReference &&
      one.amount === stated.entryAmount &&
      one.amount !== stated.amount &&
      isNear(one),
  )
  return whole ? [whole] : []
}

import { createHash } from 'node:crypto'

import type { StatedBooking } from '../reading/interpret.ts'
import type { StatementKind } from '../reading/statement.ts'
import type { Doubt, StoredBooking } from './queries.ts'

/** The message that states a booking. `overlaps`: a person has accepted that it covers days that another statement covers. */
export type MessageContext = {
  kind: StatementKind
  statementId: bigint | null
  overlaps: boolean
}

/** A stated booking with the keyed hashes under which what people wrote is compared. */
export type ComparedBooking = {
  stated: StatedBooking
  endToEnd: string | null
  payer: string | null
  name: string | null
}

/** How a stated booking compares with a known one. The higher the score, the more both messages say alike. */
export type Agreement = { isSame: boolean; score: number; doubt: Doubt | undefined }

const other: Agreement = { isSame: false, score: 0, doubt: undefined }

/** How far apart different messages may date one booking: over holidays, and a pending one until it is booked. */
export const apart = { booked: 7, pending: 21 }

/**
 * Compares a stated booking with a known one by all that both messages say. It is the same where all of that agrees and something
 * identifies it, and another one only where something that both say contradicts it. Anything else is a doubt. Days may differ between
 * a notification and the statement, which has the later one, if something else identifies the booking.
 */
export function compareBookings(one: ComparedBooking, known: StoredBooking, message: MessageContext): Agreement {
  const { stated } = one
  if (stated.direction !== known.direction || !isOfOneClass(one, known)) return other
  if (!isAvailable(stated, known, message)) return other
  const said = equalitiesOf(one, known)
  const { bank, ours, end, payer, name, isSameAmount } = said
  // A payment of ours is debited once under its key, whatever else the bank calls it.
  if (known.kind === 'payout' && end === true)
    return isSameAmount ? { isSame: true, score: 24, doubt: undefined } : other
  const isReferred = bank === true || end === true
  const isNamed = isReferred || ours === true
  const days = agreeingDays(stated, known, { identifies: isNamed || payer === true, isReferred: isNamed, message })

  // Spellings of a name differ between messages: it only counts where no reference of the payer's is equal.
  const isOtherPerson = payer === false || (name === false && ours !== true && end !== true)
  const isContradicted = end === false || isOtherPerson
  // Two references of ours are two payments. What else differs leaves a doubt where a reference and the amount are equal.
  if (ours === false || (isContradicted && !(isReferred && isSameAmount))) return other
  const isSame = isSameAmount && !isContradicted && bank !== false && days !== undefined
  if (isSame && (isNamed || !isOtherOfItsKind(one, known, message))) {
    const alike = (stated.isCharge === (known.kind === 'charge') ? 4 : 0) + (stated.net === netOf(known) ? 2 : 0)
    const score =
      alike +
      (stated.amount === known.amount ? 1 : 0) +
      (bank ? 16 : 0) +
      (end ? 8 : 0) +
      (ours ? 8 : 0) +
      (payer ? 4 : 0) +
      (name ? 2 : 0) +
      days * 3
    return { isSame, score, doubt: undefined }
  }
  return { ...other, doubt: isSame ? 'double' : doubtOf(said, one, known, message) }
}

/** What both messages say alike; undefined where one of them says nothing. */
type Equalities = Record<'bank' | 'ours' | 'end' | 'payer' | 'name', boolean | undefined> & { isSameAmount: boolean }

function equalitiesOf({ stated, endToEnd, ...one }: ComparedBooking, known: StoredBooking): Equalities {
  const bank = stated.keptOf ? both(stated.entryReference, known.entry_reference) : bankIn(stated, known)
  // One message may name the part of a payment file, and the other one the file.
  const isLump = stated.isLump && known.kind === 'payout' && known.payment_key === null
  const isSameEnd = both(endToEnd, known.end_to_end)
  const end = isLump && isSameEnd === false ? undefined : isSameEnd
  const payer = both(one.payer, known.payer_hash)
  return {
    bank,
    ours: oursIn(stated, known, bank === true || end === true),
    end,
    payer,
    name: payer === undefined ? both(one.name, known.name_hash) : undefined,
    // One message may say what was sent and what the bank kept of it, and the other one what came.
    isSameAmount: stated.net === netOf(known),
  }
}

/** Whether the bank's reference is equal: one message may give that of the payment, and another one that of the entry that is only it. */
function bankIn(stated: StatedBooking, known: StoredBooking): boolean | undefined {
  const own = both(stated.servicerReference, known.servicer_reference)
  if (own !== false || stated.net !== stated.entryAmount) return own
  return stated.entryReference === known.servicer_reference || stated.servicerReference === known.entry_reference
}

/** What the account moved by for a booking, with the charge that the bank kept of its entry. */
export const netOf = ({ amount, entry_amount: entryAmount }: StoredBooking): bigint => entryAmount ?? amount

/**
 * Whether both may be a charge, or neither: a message may lack the code that says so. A debit of the whole entry is one of the bank's
 * own where a reference says so, or where it names nobody who could have been paid.
 */
function isOfOneClass({ stated, endToEnd, payer, name }: ComparedBooking, known: StoredBooking): boolean {
  if (stated.isCharge === (known.kind === 'charge')) return true
  if (stated.keptOf !== undefined || known.charge_of !== null) return false
  if (stated.direction !== 'out' || !(known.kind === 'charge' || known.kind === 'unexplained')) return false
  if (both(stated.servicerReference, known.servicer_reference) === true) return true
  if (both(endToEnd, known.end_to_end) === true) return true
  return stated.isCharge
    ? [known.payment_key, known.end_to_end, known.payer_hash, known.name_hash].every((one) => one === null)
    : [endToEnd, payer, name].every((one) => one === null) && stated.reference === '' && !stated.isReturn
}

/** A message of this kind has reported the known booking with other references, so that nothing says which of two this is. */
const isOtherOfItsKind = (one: ComparedBooking, { sightings }: StoredBooking, { kind }: MessageContext): boolean =>
  one.stated.bookedOn !== '' &&
  !one.stated.isPending &&
  sightings.includes(dayOf(kind, one.stated.bookedOn)) &&
  !sightings.includes(sightingOf(kind, one))

/** A message of another kind about what no statement has yet: the bank may mean the same. Two of one kind are two. */
function doubtOf(
  { bank, ours, end, payer, isSameAmount }: Equalities,
  { stated }: ComparedBooking,
  known: StoredBooking,
  { kind }: MessageContext,
): Doubt | undefined {
  if (stated.isCharge || stated.isPending || known.state === 'pending' || known.sightings.includes(kind))
    return undefined
  if (kind === 'camt.053' && known.statement_id !== null) return undefined
  if (distance(stated.bookedOn, known.booked_on) > apart.booked) return undefined
  const isReferred = end === true || bank === true
  if (!isSameAmount) return isReferred ? 'other_amount' : undefined
  return isReferred || (ours === true && payer !== false) ? 'double' : undefined
}

/**
 * Whether both carry our reference. What the payer wrote says, without it, that there is none; but banks cut texts off, so it says
 * nothing where another reference is equal. The bank's own text never says anything.
 */
function oursIn(stated: StatedBooking, known: StoredBooking, isReferred: boolean): boolean | undefined {
  const reference = known.stated_reference || known.reference
  if (stated.reference !== '' && reference !== '') return stated.reference === reference
  if (isReferred || known.kind !== 'deposit' || (stated.reference === '' && reference === '')) return undefined
  return (stated.reference === '' ? stated.hasRemittance : known.has_text) ? false : undefined
}

/** Whether both say it alike; undefined where one of them says nothing. */
function both(one: string | null, known: string | null): boolean | undefined {
  if (one === null || one === '' || known === null || known === '') return undefined
  return one === known
}

/** A statement has a booking once, and so has each kind of notification: on another day it reports another one. */
function isAvailable(stated: StatedBooking, known: StoredBooking, message: MessageContext): boolean {
  const { kind, statementId, overlaps } = message
  if (statementId !== null) {
    const isFree = known.statement_id === null || known.statement_id === statementId
    return isFree || (overlaps && known.booked_on === stated.bookedOn)
  }
  if (stated.isPending || stated.bookedOn === '' || !known.sightings.includes(kind)) return true
  return known.sightings.includes(dayOf(kind, stated.bookedOn))
}

/** Whether a known booking may be a part of a stated entry, or the entry of a stated payment: their amounts differ. */
export const isNearby = (stated: StatedBooking, known: StoredBooking, message: MessageContext): boolean =>
  (stated.direction === known.direction || stated.isCharge || known.kind === 'charge') &&
  known.state === 'booked' &&
  isAvailable(stated, known, message) &&
  agreeingDays(stated, known, { identifies: true, isReferred: true, message }) !== undefined

/** What is noted of a message that reported a booking: its kind, the day, and a trace of its references. Nothing without a day. */
export function sightingOf(kind: StatementKind, { stated, endToEnd }: ComparedBooking): string {
  if (stated.bookedOn === '') return ''
  const trace = createHash('sha256')
    .update(`${stated.reference}
${endToEnd ?? ''}`)
    .digest('base64url')
    .slice(0, 8)
  return `${dayOf(kind, stated.bookedOn)}${trace};`
}

const dayOf = (kind: StatementKind, bookedOn: string): string => `${kind} ${bookedOn} `

/** How well the days agree, from 0 to 3; undefined where they are those of another booking. */
function agreeingDays(
  stated: StatedBooking,
  known: StoredBooking,
  { identifies, isReferred, message }: { identifies: boolean; isReferred: boolean; message: MessageContext },
): number | undefined {
  const booked = both(stated.bookedOn, known.booked_on)
  const valued = both(stated.valueOn, known.value_on)
  const far = distance(stated.bookedOn, known.booked_on)
  if (stated.isPending !== (known.state === 'pending')) {
    // What is announced after a booking is the payer's next payment, unless a reference says otherwise.
    const [announced, final] = stated.isPending
      ? [stated.bookedOn, known.booked_on]
      : [known.booked_on, stated.bookedOn]
    if (announced > final && final !== '' && !isReferred) return undefined
    return far <= apart.pending ? (booked === false ? 1 : 2) : undefined
  }
  if (booked === true || sightingsOf(known).includes(stated.bookedOn))
    return valued === false && !identifies ? undefined : 3
  if (booked === undefined) return valued === false && !identifies ? undefined : 2
  if (far > apart.booked || !(identifies || valued === true)) return undefined
  // A notification is never later than the statement that has the booking.
  const isStatementEarlier =
    message.statementId === null
      ? known.statement_id !== null && stated.bookedOn > known.booked_on
      : known.statement_id === null && stated.bookedOn < known.booked_on
  return isStatementEarlier && valued !== true ? undefined : valued === true ? 2 : 1
}

/** The days on which messages have reported a booking. */
export const sightingsOf = ({ sightings }: Pick<StoredBooking, 'sightings'>): string[] =>
  sightings.split(';').map((one) => one.split(' ')[1] ?? '')

const dayMs = 86_400_000

/** Days between two days; none where one is not known. */
const distance = (one: string, known: string): number =>
  one === '' || known === '' ? 0 : Math.abs(Date.parse(one) - Date.parse(known)) / dayMs

/** The day some days after another one, or before it. */
export const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10)

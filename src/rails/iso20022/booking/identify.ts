import { createHmac } from 'node:crypto'

import type { Bank } from '../bank.ts'
import type { CheckedStatement, StatedBooking } from '../reading/interpret.ts'
import type { StoredBooking } from './queries.ts'

/** A booking of a statement with the known bookings that it is: none where it is new, several where one stands for all. */
export type IdentifiedBooking = {
  stated: StatedBooking
  content: string
  endToEnd: string | null
  known: StoredBooking[]
}

/** A keyed hash of what every message about a booking says of it. Its date is compared apart: what is pending has none yet. */
export function contentOf({ keys }: Pick<Bank, 'keys'>, { account }: CheckedStatement, booking: StatedBooking): string {
  const { direction, amount, reference, endToEndId, isCharge, entryReference } = booking
  const parts = [account.iban, account.asset.id, direction, amount, reference, endToEndId]
  if (isCharge) parts.push('charge', entryReference)
  return hashOf(keys.hashes, 'content', parts.join('\n'))
}

/** A keyed hash of the payer's own reference, which may name a person. */
export const endToEndOf = ({ keys }: Pick<Bank, 'keys'>, { endToEndId }: StatedBooking): string | null =>
  endToEndId === '' ? null : hashOf(keys.hashes, 'end-to-end', endToEndId)

const hashOf = (key: Buffer, purpose: string, text: string): string =>
  createHmac('sha256', key).update(`${purpose}\n${text}`).digest('base64url')

/**
 * Finds which bookings of a statement are known from an earlier message:
 * 1. by the bank's own reference, with the same amount and direction;
 * 2. where one of the two messages has no such reference: by the content that both report, and its date. Two equal payments
 *    within one statement are two, and so are equal ones in the statements of two days;
 * 3. one entry for several payments, by the entry's reference: the payments may have been reported one by one before, or the
 *    other way round.
 */
export function identify(
  bank: Pick<Bank, 'keys'>,
  statement: CheckedStatement,
  { known, statementId }: { known: readonly StoredBooking[]; statementId: bigint | null },
): IdentifiedBooking[] {
  const byServicer = grouped(known, ({ servicer_reference: reference }) => reference)
  const byEntry = grouped(known, ({ entry_reference: reference }) => reference)
  const byContent = grouped(known, ({ content }) => content)
  const used = new Set<bigint>()
  const take = (found: StoredBooking[]): StoredBooking[] => {
    for (const { id } of found) used.add(id)
    return found
  }
  const isFree = ({ id }: StoredBooking): boolean => !used.has(id)

  return statement.bookings.map((stated) => {
    const content = contentOf(bank, statement, stated)
    const endToEnd = endToEndOf(bank, stated)
    const same = (one: StoredBooking): boolean =>
      isFree(one) && one.amount === stated.amount && one.direction === stated.direction
    const byReference = byServicer.get(stated.servicerReference)?.find(same)
    if (byReference) return { stated, content, endToEnd, known: take([byReference]) }
    const isSame = (one: StoredBooking): boolean =>
      isFree(one) &&
      (one.servicer_reference === null || stated.servicerReference === '') &&
      (one.state === 'pending' ||
        one.booked_on === '' ||
        stated.bookedOn === '' ||
        one.booked_on === stated.bookedOn) &&
      (statementId === null || one.statement_id === null || one.statement_id === statementId)
    const byItsContent = byContent.get(content)?.find(isSame)
    if (byItsContent) return { stated, content, endToEnd, known: take([byItsContent]) }
    if (stated.isLump) {
      const parts = (byEntry.get(stated.entryReference) ?? []).filter(
        (one) => isFree(one) && one.direction === stated.direction,
      )
      const areBooked = parts.every(({ state }) => state === 'booked')
      if (areBooked && parts.reduce((sum, { amount }) => sum + amount, 0n) === stated.amount)
        return { stated, content, endToEnd, known: take(parts) }
    }
    // The entry as a whole was reported before its payments: it stays one booking, and every payment is part of it.
    const whole = (byServicer.get(stated.entryReference) ?? []).find(
      ({ amount, direction, state }) =>
        state === 'booked' &&
        amount === stated.entryAmount &&
        amount !== stated.amount &&
        direction === stated.direction,
    )
    return { stated, content, endToEnd, known: whole ? [whole] : [] }
  })
}

function grouped(
  known: readonly StoredBooking[],
  by: (booking: StoredBooking) => string | null,
): Map<string, StoredBooking[]> {
  const groups = new Map<string, StoredBooking[]>()
  for (const booking of known) {
    const key = by(booking)
    if (key === null || key === '') continue
    const group = groups.get(key)
    if (group) group.push(booking)
    else groups.set(key, [booking])
  }
  return groups
}

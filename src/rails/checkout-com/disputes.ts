import { after } from '../../platform/lib/clock.ts'
import { fieldsOf, listOf, textOf } from '../processor/call.ts'
import { type Findings, keep } from '../processor/follow.ts'
import { findItem, type Item, itemsOf, rememberItem } from '../processor/store.ts'
import type { RailEvent } from '../rail.ts'
import { type Desk, get } from './desk.ts'
import { readDispute, statusIn } from './translation.ts'

/** How long after a dispute was last changed it is still in the list that we ask for. */
const listedMs = 180 * 86_400_000
const pageLength = 250

/**
 * Looks through the list of disputes, which nothing else announces when a webhook is lost. Those of our payments whose status we have not
 * seen yet are asked about by themselves, at once.
 */
export async function listDisputes({ settings: { name: rail }, db, call, processor }: Desk): Promise<Findings> {
  const at = processor.clock.realNow()
  const query = { limit: String(pageLength), from: after(at, -listedMs).toISOString() }
  for (let skip = 0, isLast = false; !isLast; skip += pageLength) {
    const page = new URLSearchParams({ ...query, skip: String(skip) })
    const disputes = listOf(fieldsOf(await get(call, `/disputes?${page.toString()}`)).data).map(fieldsOf)
    for (const { id: named, status, payment_reference: ofPayment } of disputes) {
      const [id, reference] = [textOf(named), textOf(ofPayment)]
      const isOurs = id !== '' && (await itemsOf(db, { rail, kind: 'payment', reference })).length > 0
      const known = isOurs ? await findItem(db, { rail, kind: 'dispute', id }) : undefined
      if (isOurs && (known === undefined || statusIn(known) !== textOf(status)))
        await rememberItem(db, { rail, kind: 'dispute', id, reference }, { at, lookAt: at })
    }
    isLast = disputes.length < pageLength
  }
  return { events: [], status: '', settled: false, again: 'always' }
}

/** A dispute as it is now, after what we knew of it: that was read before it is asked about. */
export async function disputeAt(
  { call }: Desk,
  { id, status }: Pick<Item, 'id' | 'status'>,
): Promise<Findings | undefined> {
  const body = await get(call, `/disputes/${encodeURIComponent(id)}`)
  return body === undefined ? undefined : readDispute(body, status)
}

/** The events of a dispute that was named to us, written down. */
export async function disputeEvents(desk: Desk, id: string): Promise<readonly RailEvent[]> {
  const { settings, db, processor } = desk
  const key = { rail: settings.name, kind: 'dispute', id } as const
  const before = await findItem(db, key)
  const found = await disputeAt(desk, { id, status: before?.status ?? '' })
  if (!found) return []
  const at = processor.clock.realNow()
  await rememberItem(db, { ...key, reference: found.events[0]?.reference ?? '' }, { at, lookAt: at })
  const item = await findItem(db, key)
  // Asked about once more: what was found may not have been booked.
  if (item) await db.atomic(async (block) => keep(processor, block, item, { ...found, again: 'soon' }))
  return found.events
}

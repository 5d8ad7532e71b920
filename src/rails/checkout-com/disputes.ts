import { after } from '../../platform/lib/clock.ts'
import { fieldsOf, listOf, textOf } from '../processor/call.ts'
import { askAbout, type Findings } from '../processor/follow.ts'
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
  const item = (await findItem(desk.db, keyOf(desk, id))) ?? (await rememberNamed(desk, id))
  return (item && (await askAbout(desk.processor, item)))?.events ?? []
}

const keyOf = ({ settings }: Desk, id: string) => ({ rail: settings.name, kind: 'dispute', id }) as const

/** Remembers a dispute that only its number is known of, if Checkout.com knows it. */
async function rememberNamed(desk: Desk, id: string): Promise<Item | undefined> {
  const { db, processor } = desk
  const found = await disputeAt(desk, { id, status: '' })
  if (!found) return undefined
  const at = processor.clock.realNow()
  const key = keyOf(desk, id)
  await rememberItem(db, { ...key, reference: found.events[0]?.reference ?? '' }, { at, lookAt: at })
  return findItem(db, key)
}

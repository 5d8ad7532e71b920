import type { Database } from '../../platform/db/sql.ts'
import { after, type Clock } from '../../platform/lib/clock.ts'
import type { Log } from '../../platform/lib/log.ts'
import { fieldsOf, listOf, textOf } from '../processor/call.ts'
import { askAbout, type Findings, type Processor } from '../processor/follow.ts'
import { findItem, type Item, type ItemKind, itemsOf, nameLess, rememberItem } from '../processor/store.ts'
import type { RailEvent } from '../rail.ts'
import { type Client, openClient } from './client.ts'
import type { HyperswitchSettings } from './settings.ts'
import { readDispute, readPayment, readPayout, readRefund, referenceOf } from './translation.ts'

/** What the parts of the rail share. */
export type Desk = {
  settings: HyperswitchSettings
  db: Database
  client: Client
  processor: Processor
  /** Asks about a thing and writes down what was found; undefined where Hyperswitch does not know it. */
  ask(item: Item): Promise<Findings | undefined>
  /** The events of the disputes about a payment that we know of. */
  disputesOf(payment: Item): Promise<RailEvent[]>
}

export type DeskTools = { db: Database; clock: Clock; log: Log; timeoutMs: number }

/** The thing that stands for the list of all disputes. */
const disputeList = 'all'
/** How long after a payment its dispute can be reported: schemes allow 120 days, and some issuers take longer. */
const disputablePeriodMs = 180 * 86_400_000

export function openDesk(settings: HyperswitchSettings, { db, clock, log, timeoutMs }: DeskTools): Desk {
  const client = openClient(settings, timeoutMs)
  const { name: rail } = settings
  const processor: Processor = {
    rail,
    db,
    clock,
    log,
    everyMs: settings.lookEveryMs,
    look: (item) => lookAt(desk, item),
  }
  const desk: Desk = {
    settings,
    db,
    client,
    processor,
    ask: (item) => askAbout(processor, item),
    disputesOf: async ({ id }) => {
      const events: RailEvent[] = []
      for (const dispute of await itemsOf(db, { rail, kind: 'dispute', reference: id })) {
        events.push(...((await desk.ask(dispute))?.events ?? []))
      }
      return events
    },
  }
  return desk
}

/** Begins to ask for the list of disputes, which nothing else announces when a webhook is lost. */
export const watchDisputes = (desk: Desk): Promise<void> =>
  remember(desk, { kind: 'disputes', id: disputeList, reference: disputeList })

async function lookAt(desk: Desk, { rail, kind, id, settled }: Item): Promise<Findings | undefined> {
  const { client, db, settings } = desk
  if (kind === 'disputes') return listDisputes(desk, rail)
  const body = await client[kind](id)
  if (body === undefined) return undefined
  const { profile_id: profile } = fieldsOf(body)
  // Another profile of the same merchant is another business.
  if (typeof profile === 'string' && profile !== settings.profileId) return undefined
  switch (kind) {
    case 'payment': {
      await rememberDisputes(desk, id, fieldsOf(body).disputes)
      const found = readPayment(body)
      return { ...found, events: await nameLess(db, rail, found.events) }
    }
    case 'refund':
      return readRefund(body, settled)
    case 'payout':
      return readPayout(body, settled)
    case 'dispute':
      return readDispute(body)
  }
}

/** A payment names its disputes: each is asked about by itself, at once. */
async function rememberDisputes(desk: Desk, payment: string, disputes: unknown): Promise<void> {
  for (const one of listOf(disputes)) {
    const id = textOf(fieldsOf(one).dispute_id)
    if (id !== '') await remember(desk, { kind: 'dispute', id, reference: payment })
  }
}

/** Remembers a thing that Hyperswitch named, to be asked about at once. A dispute's reference is the payment that it is about. */
export async function remember(
  { settings, db, processor }: Desk,
  thing: { kind: ItemKind; id: string; reference: string },
): Promise<void> {
  const at = processor.clock.realNow()
  await rememberItem(db, { rail: settings.name, ...thing }, { at, lookAt: at })
}

/** The disputes whose state we have not seen yet, remembered and read. */
async function listDisputes(desk: Desk, rail: string): Promise<Findings> {
  const { db, client, processor } = desk
  const since = after(processor.clock.realNow(), -disputablePeriodMs)
  const events: RailEvent[] = []
  for (const body of await client.disputesSince(since)) {
    const [id, payment] = [textOf(fieldsOf(body).dispute_id), textOf(fieldsOf(body).payment_id)]
    if (id === '' || !isOurs(payment)) continue
    const found = readDispute(body)
    const known = await findItem(db, { rail, kind: 'dispute', id })
    if (known?.status === found.status) continue
    await remember(desk, { kind: 'dispute', id, reference: payment })
    events.push(...found.events)
  }
  return { events, status: '', settled: false, again: 'always' }
}

/** Whether a payment's id has the form that we give: other systems may use the same profile. */
export const isOurs = (payment: string): boolean =>
  payment.length === 30 && /^pay_[\w-]{24}$/.test(referenceOf(payment)) && /\d\d$/.test(payment)

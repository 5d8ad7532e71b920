import { createHmac, timingSafeEqual } from 'node:crypto'

import { parseJson } from '../../platform/lib/json.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { type Fields, fieldsOf, textOf } from '../processor/call.ts'
import { balanceOf, findItem, type ItemKind, recordChange, recordWithheld, statementOf } from '../processor/store.ts'
import type { CallbackRequest, Rail, RailCheck, RailEvent, Service } from '../rail.ts'
import { deposits } from './deposits.ts'
import { type Desk, type DeskTools, isOurs, openDesk, remember } from './desk.ts'
import { payoutsOf } from './payouts.ts'
import { type HyperswitchSettings, pageCategories, payoutCategories, servesProblem } from './settings.ts'

/** The rail, and what asks Hyperswitch about everything that is open there. */
export type HyperswitchRail = { rail: Rail; desk: Desk }

/**
 * Opens the rail. Hyperswitch offers neither a balance nor a statement: both are the sum of what it said that moved, which is kept
 * apart from the ledger, so that the two can be compared.
 */
export function openHyperswitchRail(settings: HyperswitchSettings, tools: DeskTools): HyperswitchRail {
  const desk = openDesk(settings, tools)
  const { name } = settings
  const rail: Rail = {
    name,
    custodyAccount: name,
    serves: servicesOf(settings),
    deposit: deposits(desk),
    payout: payoutsOf(desk),
    readCallback: async (request) => {
      if (!isSigned(settings, request)) throw new Refusal('SIGNATURE_INVALID', 'The signature does not match.')
      const events: RailEvent[] = []
      for (const webhook of readWebhooks(request.body)) events.push(...(await fetchAgain(desk, webhook)))
      return { events }
    },
    check: () => checkOf(desk),
    balance: (asset, block = tools.db) => balanceOf(block, name, asset),
    statement: (period) => statementOf(tools.db, name, period),
    noteChange: (db, change) => recordChange(db, name, change),
    noteWithheld: (db, withheld) => recordWithheld(db, name, withheld),
  }
  return { rail, desk }
}

/** Whether Hyperswitch answers our key; the list of disputes is the cheapest question that needs it. */
async function checkOf({ client, processor }: Desk): Promise<RailCheck> {
  try {
    await client.disputesSince(processor.clock.realNow())
    return { ok: true, message: 'Hyperswitch answers.' }
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : 'Hyperswitch does not answer.' }
  }
}

function servicesOf({ name, serves, currencies, payouts }: HyperswitchSettings): Service[] {
  const networks = currencies ?? ('any' as const)
  const pages = serves.filter((category) => category in pageCategories)
  const outgoing = serves.filter((category) => payoutCategories.includes(category))
  const problem = servesProblem({ serves, payouts })
  if (problem !== undefined) throw new Error(`The rail ${name} ${problem}.`)
  return [
    ...(pages.length > 0 ? [{ directions: ['deposit' as const], categories: pages, networks }] : []),
    ...(outgoing.length > 0 ? [{ directions: ['payout' as const], categories: outgoing, networks }] : []),
  ]
}

/** HMAC-SHA512 with the profile's response hash key over the body as it came, in hexadecimal. */
function isSigned({ webhookKey }: HyperswitchSettings, { body, headers }: CallbackRequest): boolean {
  const expected = Buffer.from(createHmac('sha512', webhookKey).update(body).digest('hex'))
  const given = Buffer.from((headers['x-webhook-signature-512'] ?? '').toLowerCase())
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** What a webhook names. Nothing else of it counts: it may be late, or out of order. */
type WebhookSubject = { kind: ItemKind; id: string; payment: string }

const contents: Readonly<Record<string, { kind: ItemKind; field: string }>> = {
  payment_details: { kind: 'payment', field: 'payment_id' },
  refund_details: { kind: 'refund', field: 'refund_id' },
  dispute_details: { kind: 'dispute', field: 'dispute_id' },
  payout_details: { kind: 'payout', field: 'payout_id' },
}

function readWebhooks(text: string): WebhookSubject[] {
  const body = parseJson(text)
  const webhooks: unknown[] = Array.isArray(body) ? body : [body]
  if (webhooks.length === 0) throw new Refusal('BAD_REQUEST', 'This is no webhook.')
  return webhooks.flatMap((webhook) => named(fieldsOf(webhook)))
}

function named({ event_type: type, content }: Fields): WebhookSubject[] {
  const { type: subject, object } = fieldsOf(content)
  if (typeof type !== 'string' || typeof subject !== 'string') throw new Refusal('BAD_REQUEST', 'This is no webhook.')
  const known = contents[subject]
  if (!known) return []
  const fields = fieldsOf(object)
  const id = textOf(fields[known.field])
  if (id === '') throw new Refusal('BAD_REQUEST', 'The webhook does not name what it is about.')
  return [{ kind: known.kind, id, payment: textOf(fields.payment_id) }]
}

/**
 * What Hyperswitch says now of what a webhook names. Where it does not answer, it is asked again later, so the webhook has done its
 * work: it is remembered before anything is asked.
 */
async function fetchAgain(desk: Desk, { kind, id, payment }: WebhookSubject): Promise<RailEvent[]> {
  const { settings, db, processor } = desk
  const key = { rail: settings.name, kind, id }
  const isAboutOurs = kind === 'payout' ? (await findItem(db, key)) !== undefined : isOurs(payment)
  if (!isAboutOurs) {
    processor.log.info({ rail: settings.name, kind }, 'A webhook is about something that is not ours.')
    return []
  }
  const reference = kind === 'payment' ? id.slice(0, -2) : kind === 'dispute' ? payment : id
  await remember(desk, { kind, id, reference })
  const item = await findItem(db, key)
  try {
    return [...((item && (await desk.ask(item)))?.events ?? [])]
  } catch (error) {
    processor.log.warn({ err: error, ...key }, 'A webhook came, but its processor could not be asked; trying again.')
    return []
  }
}

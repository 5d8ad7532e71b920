import { after } from '../../platform/lib/clock.ts'
import { randomToken } from '../../platform/lib/ids.ts'
import { fieldsOf, textOf } from '../processor/call.ts'
import { toMinor } from '../processor/minor-units.ts'
import { findItem, itemsOf, rememberItem } from '../processor/store.ts'
import type { DepositHalf, DepositOrder, RailEvent } from '../rail.ts'
import type { Desk } from './desk.ts'
import { pageCategories } from './settings.ts'
import { decimalsOf, endedUnpaid } from './translation.ts'

/** How long a payment page stays open, in seconds: as long as customers usually have to pay. */
const pageSeconds = 1_800

/** The most payments that are made for one order, each after the one before ended unpaid. */
const mostAttempts = 99

/**
 * Payments. Each press of the button opens the page of the order's payment; where that ended unpaid, of the next one. A payment's id
 * is ours: the order's random reference and two digits, 30 characters, so that creating it again creates nothing.
 */
export function deposits(desk: Desk): DepositHalf {
  const { settings, db, processor } = desk
  const { name: rail } = settings
  const origins = new Set([settings.baseUrl, ...settings.pageOrigins].map((url) => new URL(url).origin))
  const learn = (link: string): string => {
    const { origin } = new URL(link)
    if (!origins.has(origin)) {
      processor.log.warn({ rail, origin }, 'Payment pages are at another origin: add it to page_origins.')
      origins.add(origin)
    }
    return link
  }
  return {
    // 24 random characters: nobody can pay for another's order by guessing.
    instruct: async () => ({ reference: `pay_${randomToken(18)}`, payTo: { kind: 'page' } }),
    open: async (order) => ({ payAt: learn(await openPage(desk, order)) }),
    pageOrigins: () => [...origins],
    look: async (reference) => {
      const events: RailEvent[] = []
      for (const item of await itemsOf(db, { rail, kind: 'payment', reference })) {
        const found = await desk.ask(item)
        events.push(...(found?.events ?? []), ...(await desk.disputesOf(item)))
      }
      return events
    },
    origin: async (payment) => {
      const item = await findItem(db, { rail, kind: 'payment', id: payment })
      return item ? { address: item.id, extraId: '', holder: '' } : 'unknown'
    },
    disputes: true,
    grows: true,
    ...(settings.capture === 'manual'
      ? {
          capture: (payment) => change(desk, payment, 'capture', {}),
          cancel: (payment) => change(desk, payment, 'cancel', { cancellation_reason: 'requested_by_merchant' }),
        }
      : {}),
  }
}

async function openPage(desk: Desk, order: DepositOrder): Promise<string> {
  const { settings, db, client, processor } = desk
  const { name: rail } = settings
  const made = await itemsOf(db, { rail, kind: 'payment', reference: order.reference })
  const last = made.at(-1)
  const known = last && (await client.payment(last.id))
  const isEnded = endedUnpaid.has(textOf(fieldsOf(known).status))
  if (known !== undefined && !isEnded) return linkOf(known)

  const number = made.length - (last && !isEnded ? 1 : 0)
  if (number > mostAttempts) throw new Error('Too many payments were begun for one order.')
  const id = order.reference + String(number).padStart(2, '0')
  const at = processor.clock.realNow()
  // Written down first: whatever becomes of our request, the payment is asked about.
  await rememberItem(
    db,
    { rail, kind: 'payment', id, reference: order.reference },
    { at, lookAt: after(at, processor.everyMs) },
  )
  const { status, body } = await client.post('/payments', paymentOf(desk, order, id))
  if (status < 300) return linkOf(body)
  // Somebody else's press came first.
  const taken = await client.payment(id)
  if (taken === undefined) throw new Error(`Hyperswitch refused a payment with ${status}.`)
  return linkOf(taken)
}

function linkOf(payment: unknown): string {
  const link = textOf(fieldsOf(fieldsOf(payment).payment_link).link)
  if (!URL.canParse(link))
    throw new Error('Hyperswitch gave no payment link: are payment links allowed for the profile?')
  return link
}

function paymentOf({ settings }: Desk, { reference, asset, amount, category, returnUrl }: DepositOrder, id: string) {
  const money = toMinor(decimalsOf, asset, amount)
  return {
    payment_id: id,
    profile_id: settings.profileId,
    amount: Number.parseInt(String(money.amount), 10),
    currency: money.currency,
    capture_method: settings.capture,
    authentication_type: settings.authentication,
    payment_link: true,
    session_expiry: pageSeconds,
    return_url: returnUrl,
    merchant_order_reference_id: reference,
    metadata: { reference },
    allowed_payment_method_types: pageCategories[category] ?? [],
  }
}

/** Captures or cancels, and asks what became of it: a lost answer is no failure. Throws while it has not happened. */
async function change(
  desk: Desk,
  payment: string,
  what: 'capture' | 'cancel',
  body: Record<string, unknown>,
): Promise<void> {
  const { settings, db, client, processor } = desk
  const item = await findItem(db, { rail: settings.name, kind: 'payment', id: payment })
  if (!item) throw new Error('Nothing is known of the payment that is to be captured or cancelled.')
  const before = textOf(fieldsOf(await client.payment(payment)).status)
  if (before !== 'requires_capture') return
  const now = processor.clock.realNow()
  await rememberItem(db, item, { at: now, lookAt: now })
  const { status } = await client.post(`/payments/${encodeURIComponent(payment)}/${what}`, body)
  if (status < 300) return
  const after = textOf(fieldsOf(await client.payment(payment)).status)
  if (after === 'requires_capture') throw new Error(`Hyperswitch refused to ${what} a payment with ${status}.`)
}

import { isSameStamp } from '../../platform/privacy/stamp.ts'
import type { Db } from '../../platform/db/sql.ts'
import { checkAddress } from '../../reference/addresses/address.ts'
import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import { stampedBy as stampedByBitcoin } from '../bitcoin/sending/sign-written.ts'
import { stampedBy as stampedByXrpl } from '../xrpl/sending/send.ts'
import { type StampedPayment, stampOf } from './stamp.ts'

/** A payment as a signer has signed it, in smallest units. */
type SignerPayment = { payout: string; asset: string; amount: string; destination: string }

/** A payment as a chain's table has it. `destination` is forgotten once the payment is over; the stamp stays. */
type Row = {
  family: 'bitcoin' | 'xrpl' | 'evm'
  network: string
  payout: string
  amount: bigint
  destination: string | null
  sender: string | null
  stamp: Buffer | null
}

/** Those of some signed payments that were not written down before: of this amount, on this chain, and to this destination. */
export async function notPrepared<Payment extends SignerPayment>(
  db: Db,
  stampKey: Buffer,
  signed: readonly Payment[],
): Promise<Payment[]> {
  const keys = signed.map(({ payout }) => payout)
  const networks = [...new Set(signed.map(networkOf))]
  const rows = await db.sql<Row>`
    select 'bitcoin' as family, network, plan_key as payout, amount, script as destination, null as sender, stamp
    from bitcoin_payments where network = any(${networks}::text[]) and plan_key = any(${keys}::text[])
    union all
    select 'xrpl', network, plan_key, amount, recipient || coalesce(':' || tag, ''), null, stamp
    from xrpl_payments where network = any(${networks}::text[]) and plan_key = any(${keys}::text[])
    union all
    select 'evm', network, plan_key, amount, body ->> 'recipient', sender, stamp
    from evm_sends where network = any(${networks}::text[]) and plan_key = any(${keys}::text[])`
  const known = new Map(rows.map((row) => [`${row.network} ${row.payout}`, row]))
  return signed.filter((payment) => {
    const row = known.get(`${networkOf(payment)} ${payment.payout}`)
    return !row || String(row.amount) !== payment.amount || !paysThere(stampKey, row, payment)
  })
}

const networkOf = ({ asset }: SignerPayment): string => bookedAsset(asset)?.network ?? ''

/** A payment from before there were stamps is known by its destination, as long as that is not forgotten. */
function paysThere(stampKey: Buffer, row: Row, payment: SignerPayment): boolean {
  const { family, network: code, destination, stamp } = row
  if (stamp === null) return destination === null || spellings(family, destination).includes(payment.destination)
  return spellings(family, payment.destination).some((place) =>
    isSameStamp(stamp, stampOf({ network: { code }, stampKey }, stampedFor(row, payment, place))),
  )
}

/** An address of the EVM may be written down without its checksum. */
function spellings(family: Row['family'], destination: string): string[] {
  if (family !== 'evm') return [destination]
  return [...new Set([destination, destination.toLowerCase(), canonicalOf(destination)])]
}

function canonicalOf(address: string): string {
  const checked = checkAddress('evm', address)
  return checked.ok ? checked.canonical : address
}

function stampedFor(
  { family, payout, amount, sender }: Row,
  { asset, amount: units }: SignerPayment,
  place: string,
): StampedPayment {
  if (family === 'bitcoin') return stampedByBitcoin({ payout, script: place, amount })
  if (family === 'evm') {
    return { payout, body: { sender: canonicalOf(sender ?? ''), recipient: place, asset, amount: units } }
  }
  const [recipient = '', tag] = place.split(':')
  return stampedByXrpl({ plan_key: payout, recipient, tag: tag === undefined ? null : BigInt(tag), amount })
}

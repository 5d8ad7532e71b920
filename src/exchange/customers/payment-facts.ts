import type { PaymentFacts } from '../compliance/risk.ts'
import type { Db } from '../../platform/db/sql.ts'
import { countries, findCountry } from '../../reference/catalog/country.ts'

/** The newest orders that are looked at. */
const most = 50

type Row = {
  said: { body: Record<string, string>; country: string | null }[]
  payers: string[]
  by_card: bigint
  by_account: bigint
}

/** `orderId`: the order under review. All of its payments count; without it, the customer's latest one. */
type Query = { dayAgo: Date; monthAgo: Date; orderId?: bigint | undefined }

/** What processors and banks said of a customer's payments, in the last day and month. Only for rules that read it. */
export async function paymentFactsOf(
  db: Db,
  customerId: bigint,
  { dayAgo, monthAgo, orderId }: Query,
): Promise<PaymentFacts> {
  const order = orderId ?? null
  const [row] = await db.sql<Row>`
    with own as (
      (select id, country from transactions where customer_id = ${customerId} order by id desc limit ${most})
      union select id, country from transactions where id = ${order}),
    paid as (
      select event.id, event.body, event.card_hash, own.id as order_id, own.country from own
      join deposit_instructions on deposit_instructions.transaction_id = own.id
      join rail_events as event on event.rail = deposit_instructions.rail and event.reference = deposit_instructions.reference
      where event.kind in ('deposit_seen', 'deposit_final')),
    said as (
      select body, country from paid
      where (${order}::bigint is null or order_id = ${order})
        and (card_hash is not null or coalesce(body ->> 'cvc', body ->> 'avs', body ->> 'three_d_secure', body ->> 'bin_country') is not null)
      order by id desc limit case when ${order}::bigint is null then 1 else ${most} end),
    payers as (
      select outcome from payer_checks
      where customer_id = ${customerId} and (${order}::bigint is null or transaction_id = ${order})
      order by id desc limit case when ${order}::bigint is null then 1 else ${most} end)
    select coalesce((select jsonb_agg(jsonb_build_object('body', body, 'country', country)) from said), '[]') as said,
      array(select outcome from payers) as payers,
      coalesce((select max(payments) from (
        select count(distinct (event.rail, event.payment)) as payments from (
          select distinct card_hash from paid where card_hash is not null) as card
        join customer_traits as used on used.kind = 'card' and used.hash = card.card_hash
        join transactions as theirs on theirs.customer_id = used.customer_id and theirs.created_at > ${monthAgo}
        join deposit_instructions as way on way.transaction_id = theirs.id
        join rail_events as event on event.rail = way.rail and event.reference = way.reference
          and event.card_hash = card.card_hash
        where event.kind = 'deposit_final' and event.received_at > ${dayAgo}
        group by card.card_hash) as cards), 0)::bigint as by_card,
      coalesce((select max(payments) from (
        select count(*) as payments from (
          select distinct account_hash from payer_checks where customer_id = ${customerId} and account_hash is not null) as account
        join payer_checks as other on other.account_hash = account.account_hash
        where other.checked_at > ${monthAgo}
        group by account.account_hash) as accounts), 0)::bigint as by_account`
  const { said = [], payers = [], by_card: byCardInDay = 0n, by_account: byAccountInMonth = 0n } = row ?? {}
  const bodies = said.map(({ body }) => body)
  return {
    avs: worst(
      checkRanks,
      bodies.map(({ avs }) => checkOf(avs)),
      'unchecked',
    ),
    cvc: worst(
      checkRanks,
      bodies.map(({ cvc }) => checkOf(cvc)),
      'unchecked',
    ),
    threeDSecure: worst(
      outcomes,
      bodies.map(({ three_d_secure: said }) => outcomes.find((one) => one === said) ?? 'unknown'),
      'unknown',
    ),
    cardCountry: worst(
      countryRanks,
      said.map(({ body, country }) => comparedCountry(body.bin_country, country)),
      'unknown',
    ),
    payer: worst(payerRanks, payers.map(payerOf), 'unknown'),
    byCardInDay,
    byAccountInMonth,
  }
}

/** The worst of what was said; `unknown` where nothing was. */
const worst = <Said>(ranks: readonly Said[], said: readonly Said[], unknown: Said): Said =>
  ranks.find((one) => said.includes(one)) ?? unknown

const checkRanks = ['mismatch', 'match'] as const
const outcomes = ['failed', 'not_used', 'attempted', 'authenticated'] as const
const countryRanks = ['different', 'same'] as const
const payerRanks = ['other', 'match'] as const

const failed: ReadonlySet<string> = new Set(['fail', 'failed', 'n', 'no_match', 'mismatch', 'unmatched'])
const passed: ReadonlySet<string> = new Set(['pass', 'passed', 'y', 'm', 'match', 'matched', 'x', 'd', 'f'])

/** Checks as processors spell them, several joined by a slash: one that failed outweighs others. */
function checkOf(text: string | undefined): PaymentFacts['avs'] {
  const parts = (text ?? '').toLowerCase().split('/')
  if (parts.some((part) => failed.has(part))) return 'mismatch'
  return parts.some((part) => passed.has(part)) ? 'match' : 'unchecked'
}

/** Processors name countries by either code, or by name without spaces: `UNITEDKINGDOM`. */
const plainName = (text: string): string => text.toLowerCase().replaceAll(/[^a-z]/g, '')
const bySpelling = new Map(
  countries.flatMap((country) =>
    [country.alpha2, country.alpha3, country.name].map((text) => [plainName(text), country] as const),
  ),
)

function comparedCountry(card: string | undefined, customer: string | null): PaymentFacts['cardCountry'] {
  const [one, other] = [bySpelling.get(plainName(card ?? '')), findCountry(customer ?? '')]
  if (!one || !other) return 'unknown'
  return one.alpha2 === other.alpha2 ? 'same' : 'different'
}

function payerOf(outcome: string): PaymentFacts['payer'] {
  if (outcome === 'match' || outcome === 'known_account') return 'match'
  return outcome === 'not_compared' || outcome === 'unnamed' ? 'unknown' : 'other'
}

import assert from 'node:assert/strict'

import type { CustomerRecord } from '../../src/exchange/customers/customer-record.ts'
import { randomId } from '../../src/platform/lib/ids.ts'
import { switchFeature } from '../../src/exchange/partners/change.ts'
import type { Answer, Asking, Exchange } from './exchange.ts'
import type { Refused } from './journey.ts'
import { until } from './telling.ts'

/** What an import answers, or a refusal. */
export type Imported = CustomerRecord & { email: string } & Refused

/** Imports a customer by a token. */
export const share = (exchange: Exchange, body: object, asking: Asking = {}): Promise<Answer<Imported>> =>
  exchange.api<Imported>('/v1/customer/by-shared-token', { body, ...asking })

/** Reads how a customer stands. */
export const statusOf = (
  exchange: Exchange,
  id: unknown,
  asking: Asking = {},
): Promise<Answer<CustomerRecord & Refused>> =>
  exchange.api<CustomerRecord & Refused>(`/v1/customer/${String(id)}/status`, asking)

/** A name that nobody has used. No UUID: one in seven hundred holds the number of a card, and its text would be refused. */
export const newName = (): string => randomId().toString(36)

/** A token of the sandbox that nobody has used: `approved`, `review`, `rejected`, `high-risk`, `used`, `expired`, `down`. */
export const tokenFor = (kind: string): string => `_act-sandbox-${kind}-${newName()}`

/** An e-mail address that nobody has used. */
export const newEmail = (): string => `${newName()}@example.com`

/** A create's customer with this address. */
export const contact = (email: string) => ({ customer: { contact_info: { email } } })

/** Imports a new customer, which must succeed. */
export async function importNew(exchange: Exchange, kind: string, email = newEmail()): Promise<Imported> {
  const { status, body } = await share(exchange, {
    kyc_shared_token: tokenFor(kind),
    kyc_shared_token_provider: 'sumsub',
    email,
  })
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

/** Lets the second partner share too, and gives its secret key. */
export async function letSecondShare(exchange: Exchange): Promise<string> {
  const { partner_id: id, secret_key: key } = exchange.sandbox.second_partner
  await switchFeature(exchange.service.composition.ctx, BigInt(id), { feature: 'kyc_sharing', on: true }, 'test')
  await until(async () => (await share(exchange, {}, { key })).status === 400, 'the feature')
  return key
}

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'

import { type AddressFamily, makeSandboxAddress } from '../../src/reference/addresses/address.ts'
import { exampleAccount } from '../../src/reference/bank/example-account.ts'
import { readFeed } from '../../src/exchange/events/feed.ts'
import type { PayoutAddressRecord } from '../../src/exchange/partners/payout-address.ts'
import type { B2bRecord } from '../../src/exchange/transactions/record.ts'
import { commandLineOf } from './command.ts'
import type { Answer, Asking, Exchange } from './exchange.ts'
import type { Refused } from './journey.ts'

/** A body, field by field. */
export type Body = Record<string, unknown>

/** An event as an endpoint gets it. */
export type Told = { type: string; sequence: number; payload: Body & { id: string; status: string } }

const seedOf = (text: string): Buffer => createHash('sha256').update(text).digest()

/** An IBAN that belongs to nobody, always the same for a name. */
export const ibanOf = (name: string): string => exampleAccount('iban', seedOf(name)).account

/** An address that belongs to nobody, always the same for a name. */
export const walletOf = (family: AddressFamily, name: string): string => makeSandboxAddress(family, seedOf(name))

/** A good bank account to add, changed here and there. */
export const bankAccount = (name: string, change: Body = {}): Body => ({
  payment_category: 'SEPA',
  address: { account_name: 'Treasury GmbH', account_number: ibanOf(name), swift: 'SBBKDEF0XXX' },
  ...change,
})

/** A good wallet to add. */
export const wallet = (name: string, change: Body = {}): Body => ({
  currency: 'BTC',
  network: 'BTC',
  wallet_address: walletOf('bitcoin', name),
  ...change,
})

/** What half a bitcoin for euro says besides whom to pay. */
export const halfBitcoin = { from_currency: 'BTC', from_amount: '0.5', to_currency: 'EUR' }

/** The B2B calls of one partner, who has this secret key. */
export type Calls = ReturnType<typeof callsOf>

/** Opens them. An order is of 10,000 euro for bitcoin unless it says otherwise. */
export function callsOf(exchange: Exchange, key = exchange.sandbox.secret_key) {
  const call = <Got>(path: string, asking: Asking = {}) => exchange.api<Got & Refused>(path, { key, ...asking })
  return {
    call,
    addBank: (body: Body, asking: Asking = {}) =>
      call<PayoutAddressRecord>('/v1/b2b/add-bank-account', { body, ...asking }),
    addWallet: (body: Body, asking: Asking = {}) =>
      call<PayoutAddressRecord>('/v1/b2b/add-crypto-wallet', { body, ...asking }),
    order: (body: Body, asking: Asking = {}) =>
      call<B2bRecord>('/v1/b2b/transaction', { body: { ...tenThousandEuros, ...body }, ...asking }),
    addresses: async () =>
      (
        await call<{ bank_accounts: PayoutAddressRecord[]; crypto_wallets: PayoutAddressRecord[] }>(
          '/v1/b2b/payout-addresses',
        )
      ).body,
    read: async (id: string) => (await call<B2bRecord>(`/v1/transaction/${id}`)).body,
  }
}

const tenThousandEuros = { from_amount: 10_000, from_currency: 'EUR', to_currency: 'BTC' }

/** Status, code and first path of a refusal. */
export const problemOf = ({ status, body }: Answer<unknown>): [number, unknown, unknown] => {
  const { code, errors } = body as { code?: unknown; errors?: { path?: unknown }[] }
  return [status, code, errors?.[0]?.path]
}

/** The body of an answer that must be 201. */
export async function made<Got>(answer: Promise<Answer<Got>>): Promise<Got> {
  const { status, body } = await answer
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

/** Everything that the first partner was told of one thing, in order. */
export async function toldOf({ service, sandbox }: Exchange, id: string): Promise<Told[]> {
  const all: Told[] = []
  for (let after: string | undefined; ;) {
    const page = await readFeed(service.composition.ctx, BigInt(sandbox.partner_id), { after, limit: 100 })
    all.push(...page.bodies.map((body) => JSON.parse(body) as Told))
    if (!page.hasMore) return all.filter(({ payload }) => payload.id === id)
    after = page.nextAfter
  }
}

/** Another partner who trades, and its calls. */
export async function callsOfAnother(exchange: Exchange): Promise<Calls> {
  const { told } = commandLineOf(exchange)
  const other = await told<{ partner_id: string; secret_key: string }>('partner', 'create', 'Other')
  await told('feature', 'on', 'b2b', '--partner', other.partner_id)
  return callsOf(exchange, other.secret_key)
}

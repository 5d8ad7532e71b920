import type { RebalancingDestination } from '../settings.ts'
import type { Schema } from '../../platform/lib/schema.ts'

const decimal = (description: string): Schema => ({
  type: 'string',
  pattern: '^\\d{1,20}(\\.\\d{1,18})?$',
  description,
})
const secret = (description: string): Schema => ({ type: 'string', format: 'secret', description })
const name = { type: 'string', pattern: '^[a-z0-9][a-z0-9-]{0,40}$' }
const asset = { type: 'string', pattern: '^[A-Z0-9]{1,15}-[A-Z0-9]{1,15}$' }
const ticker = { pattern: '^[A-Z0-9]{1,15}$' }

/** The section `treasury` of CONFIG_FILE. */
export const treasurySchema: Schema = {
  type: 'object',
  description: 'Hedging at an exchange, and transfers between custody accounts.',
  additionalProperties: false,
  required: ['hedging'],
  properties: {
    hedging: {
      enum: ['off', 'propose', 'auto'],
      description: 'off; propose: hedges wait for approval; auto: they are sent within the caps.',
    },
    venue: { type: 'string', pattern: '^[a-z0-9]{2,30}$', description: 'The exchange, by its name at ccxt: kraken.' },
    account: { ...name, description: 'The custody account in the books; the name of the venue unless given.' },
    api_key: secret('The API key. It needs to trade and to read, and must not be able to withdraw.'),
    secret: secret('The secret of the API key.'),
    password: secret('The password of the API key, where the exchange has one.'),
    urls: {
      type: 'object',
      description: "Replaces the exchange's addresses, for tests.",
      additionalProperties: false,
      required: ['api'],
      properties: { api: { type: 'string', format: 'url' } },
    },
    pairs: {
      type: 'array',
      description: 'What may be traded: BTC/EUR.',
      items: { type: 'string', pattern: '^[A-Z0-9]{1,15}/[A-Z0-9]{1,15}$' },
      uniqueItems: true,
    },
    assets: {
      type: 'object',
      description: 'On which network the exchange holds a currency, where there are several: USDT: USDT-ETH.',
      propertyNames: ticker,
      additionalProperties: asset,
    },
    every: {
      type: 'string',
      format: 'duration',
      description: 'How often the exposure is looked at; PT10S unless given.',
    },
    slippage: {
      type: 'string',
      pattern: '^\\d{1,2}(\\.\\d{1,2})?%$',
      description: 'How far the limit of an order is from the market; 0.5% unless given.',
    },
    expires_after: {
      type: 'string',
      format: 'duration',
      description: 'When a proposal that waits for approval is canceled; PT15M unless given.',
    },
    bounds: {
      type: 'object',
      description: 'By currency, in whole units.',
      propertyNames: ticker,
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        properties: {
          target: { ...decimal('The exposure to keep; 0 unless given.') },
          minimum: decimal('A smaller difference from the target is left alone.'),
          lot: decimal('Orders are a multiple of this.'),
        },
      },
    },
    destinations: {
      type: 'array',
      description: 'The only custody accounts that rebalances go to.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['name', 'account', 'asset'],
        properties: {
          name: { ...name, description: 'How rebalances name it.' },
          account: { ...name, description: 'The custody account in the books.' },
          asset: { ...asset, description: 'BTC-BTC.' },
          address: { type: 'string', minLength: 1, maxLength: 300, description: 'Where it is paid to.' },
        },
      },
    },
    levels: {
      type: 'array',
      description: 'How much custody accounts should hold, in whole units.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['account', 'asset', 'target'],
        properties: {
          account: name,
          asset,
          target: decimal('What it should hold.'),
          minimum: decimal('Below this, a refill is proposed.'),
          maximum: decimal('Above this, the surplus is to leave.'),
          surplus_to: { ...name, description: 'The destination of a surplus.' },
          refill_from: { ...name, description: 'The custody account that refills it.' },
        },
      },
    },
    caps: {
      type: 'object',
      description: 'In EUR.',
      additionalProperties: false,
      properties: {
        order: decimal('The most that one order is worth; 10000 unless given.'),
        day: decimal('The most that is sent without approval within 24 hours; 100000 unless given.'),
      },
    },
  },
}

/** The section as it is written, once it fits its schema. */
export type TreasuryFile = {
  hedging: 'off' | 'propose' | 'auto'
  venue?: string
  account?: string
  api_key?: string
  secret?: string
  password?: string
  urls?: { api: string }
  pairs?: readonly string[]
  assets?: Readonly<Record<string, string>>
  every?: string
  slippage?: string
  expires_after?: string
  bounds?: Readonly<Record<string, { target?: string; minimum?: string; lot?: string }>>
  caps?: { order?: string; day?: string }
  destinations?: readonly RebalancingDestination[]
  levels?: readonly {
    account: string
    asset: string
    target: string
    minimum?: string
    maximum?: string
    surplus_to?: string
    refill_from?: string
  }[]
}

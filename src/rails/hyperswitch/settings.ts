import type { Schema } from '../../platform/lib/schema.ts'
import { preferenceSchema } from '../preference-schema.ts'

/** The categories whose page Hyperswitch shows, and the payment method types that it is restricted to for each. */
export const pageCategories: Readonly<Record<string, readonly string[]>> = {
  VISA_MC: ['credit', 'debit'],
  APPLE_PAY: ['apple_pay'],
  GOOGLE_PAY: ['google_pay'],
  REVOLUT_PAY: ['revolut_pay'],
  OPEN_BANKING: ['open_banking_pis', 'open_banking_uk'],
  PSE: ['pse'],
}

/** The categories that it can pay out in. */
export const payoutCategories: readonly string[] = ['SEPA']

/** One entry of CONFIG_FILE, its secrets read and its durations in milliseconds. */
export type HyperswitchSettings = {
  name: string
  baseUrl: string
  apiKey: string
  webhookKey: string
  profileId: string
  serves: readonly string[]
  /** ISO 4217 codes; undefined for every currency of the catalog. */
  currencies: readonly string[] | undefined
  capture: 'automatic' | 'manual'
  authentication: 'three_ds' | 'no_three_ds'
  lookEveryMs: number
  payouts: boolean
  /** The origins of its payment pages where they are not those of `baseUrl`. */
  pageOrigins: readonly string[]
}

/** An entry as CONFIG_FILE has it. */
export type HyperswitchEntry = {
  name: string
  base_url: string
  api_key: string
  webhook_key: string
  profile_id: string
  serves: string[]
  currencies?: string[]
  capture?: 'automatic' | 'manual'
  authentication?: 'three_ds' | 'no_three_ds'
  look_every?: string
  payouts?: boolean
  page_origins?: string[]
}

/** What keeps a rail that serves these categories from being opened; undefined for nothing. */
export function servesProblem({
  serves,
  payouts = false,
}: Pick<HyperswitchSettings, 'serves'> & { payouts?: boolean }): string | undefined {
  const outgoing = serves.filter((category) => payoutCategories.includes(category))
  return outgoing.length > 0 && !payouts
    ? `serves ${outgoing.join(', ')}, which it only pays out: set "payouts: true"`
    : undefined
}

export const hyperswitchSchema: Schema = {
  type: 'object',
  description: 'Cards, wallets and other payment pages through Hyperswitch.',
  additionalProperties: false,
  required: ['kind', 'name', 'base_url', 'api_key', 'webhook_key', 'profile_id', 'serves'],
  properties: {
    kind: { const: 'hyperswitch' },
    name: { type: 'string', pattern: '^[a-z0-9][a-z0-9-]{0,62}$', description: 'Unique; never change it.' },
    base_url: { type: 'string', format: 'url', description: 'https://api.hyperswitch.io, or your own installation.' },
    api_key: { type: 'string', format: 'secret', description: 'The secret API key.' },
    webhook_key: { type: 'string', format: 'secret', description: "The profile's payment response hash key." },
    profile_id: { type: 'string', minLength: 1, maxLength: 64, description: 'The business profile: pro_...' },
    serves: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { type: 'string', enum: [...Object.keys(pageCategories), ...payoutCategories] },
      description: 'The payment categories that it takes. SEPA is paid out only, and needs `payouts`.',
    },
    currencies: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { type: 'string', pattern: '^[A-Z]{3}$' },
      description: 'The currencies that its connectors settle. All, unless given.',
    },
    capture: {
      type: 'string',
      enum: ['automatic', 'manual'],
      default: 'automatic',
      description: 'Manual: a payment is authorized first, and captured once the exchange has checked it.',
    },
    authentication: {
      type: 'string',
      enum: ['three_ds', 'no_three_ds'],
      default: 'three_ds',
      description: 'Whether 3-D Secure is asked for.',
    },
    look_every: {
      type: 'string',
      format: 'duration',
      default: 'PT30S',
      description: 'How often an open payment or refund is asked about, in real time.',
    },
    payouts: { type: 'boolean', default: false, description: 'Whether payouts are made through it.' },
    page_origins: {
      type: 'array',
      items: { type: 'string', format: 'url' },
      description: 'The origins of its payment pages, where they are not on `base_url`.',
    },
    ...preferenceSchema,
  },
}

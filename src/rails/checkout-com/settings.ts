import type { Schema } from '../../platform/lib/schema.ts'
import { preferenceSchema } from '../preference-schema.ts'

/** An entry of CONFIG_FILE; secrets are references. */
export type CheckoutComEntry = {
  name: string
  base_url: string
  secret_key: string
  webhook_key: string
  processing_channel_id: string
  country: string
  serves: string[]
  page_origins: string[]
  look_every?: string
}

export const checkoutComSchema: Schema = {
  type: 'object',
  description: 'Cards on the hosted payments page of Checkout.com.',
  additionalProperties: false,
  required: [
    'kind',
    'name',
    'base_url',
    'secret_key',
    'webhook_key',
    'processing_channel_id',
    'country',
    'serves',
    'page_origins',
  ],
  properties: {
    kind: { const: 'checkout-com' },
    name: { type: 'string', pattern: '^[a-z0-9][a-z0-9-]{0,62}$', description: 'Unique; never change it.' },
    base_url: {
      type: 'string',
      format: 'url',
      description: "The account's API endpoint: https://{prefix}.api.checkout.com",
    },
    secret_key: { type: 'string', format: 'secret', description: 'The secret key: sk_...' },
    webhook_key: { type: 'string', format: 'secret', description: "The webhook's signature key." },
    processing_channel_id: { type: 'string', minLength: 1, maxLength: 64, description: 'pc_...' },
    country: { type: 'string', pattern: '^[A-Z]{2}$', description: 'The billing country that the page starts with.' },
    serves: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { type: 'string', enum: ['VISA_MC', 'APPLE_PAY', 'GOOGLE_PAY'] },
      description: 'The payment categories that it takes.',
    },
    page_origins: {
      type: 'array',
      minItems: 1,
      items: { type: 'string', format: 'url' },
      description: 'The origins of its payment pages: [https://pay.checkout.com].',
    },
    look_every: {
      type: 'string',
      format: 'duration',
      default: 'PT30S',
      description: 'How often an open payment is asked about.',
    },
    ...preferenceSchema,
  },
}

import type { Schema } from '../../platform/lib/schema.ts'
import { keysSchema } from '../keys/settings.ts'

/** One entry of CONFIG_FILE of the kind `xrpl`. */
export type XrplSettings = {
  kind: 'xrpl'
  name: string
  /** URLs, or references to secrets that hold one. The first one is read; the second one must agree. */
  nodes: readonly string[]
  /** The classic address of our account. */
  account: string
  network?: 'mainnet' | 'testnet'
  every?: string
  /** In drops. */
  max_fee?: number
  keys?: { file: string; password: string }
}

/** What CONFIG_FILE says of a rail to the XRP Ledger. */
export const xrplSchema: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['kind', 'name', 'nodes', 'account'],
  properties: {
    kind: { const: 'xrpl' },
    name: { type: 'string', pattern: '^[a-z0-9][a-z0-9-]{0,62}$', description: "The rail's name. Never change it." },
    nodes: {
      type: 'array',
      minItems: 1,
      maxItems: 2,
      description:
        'The JSON-RPC of two independent nodes: http://host:port, or a reference to a secret that holds this.',
      items: {
        anyOf: [
          { type: 'string', format: 'url' },
          { type: 'string', format: 'secret' },
        ],
      },
    },
    account: {
      type: 'string',
      pattern: '^r[1-9A-HJ-NP-Za-km-z]{24,34}$',
      description: 'The classic address that customers pay to, each with a destination tag. Never change it.',
    },
    network: { enum: ['mainnet', 'testnet'], description: 'By default mainnet.' },
    every: { type: 'string', format: 'duration', description: 'How often to ask the nodes, by default PT4S.' },
    max_fee: {
      type: 'integer',
      minimum: 10,
      maximum: 1_000_000,
      description: 'The most that one payment may cost, in drops (millionths of an XRP), by default 5000.',
    },
    keys: keysSchema,
  },
}

import type { Schema } from '../../platform/lib/schema.ts'
import { keysSchema } from '../keys/settings.ts'

/** One entry of CONFIG_FILE of the kind `bitcoin`. */
export type BitcoinSettings = {
  kind: 'bitcoin'
  name: string
  /** URLs with user and password, or references to secrets that hold one. The first one is read; the second one must agree. */
  nodes: readonly string[]
  network?: 'mainnet' | 'testnet' | 'regtest'
  asset?: 'BTC' | 'LTC' | 'DOGE' | 'BCH'
  every?: string
  bump_after?: string
  first_block?: number
  /** In smallest units for each virtual byte. */
  max_fee_rate?: number
  account_key?: string
  keys?: { file: string; password: string }
}

/** What CONFIG_FILE says of a rail to the chain of Bitcoin or one of its relatives. */
export const bitcoinSchema: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['kind', 'name', 'nodes'],
  properties: {
    kind: { const: 'bitcoin' },
    name: { type: 'string', pattern: '^[a-z0-9][a-z0-9-]{0,62}$', description: "The rail's name. Never change it." },
    asset: {
      enum: ['BTC', 'LTC', 'DOGE', 'BCH'],
      description: 'The coin, by default BTC. One rail for each coin.',
    },
    nodes: {
      type: 'array',
      minItems: 1,
      maxItems: 2,
      description:
        'The JSON-RPC of two independent nodes: http://user:password@host:port, or a reference to a secret that holds this.',
      items: {
        anyOf: [
          { type: 'string', format: 'url' },
          { type: 'string', format: 'secret' },
        ],
      },
    },
    network: { enum: ['mainnet', 'testnet', 'regtest'], description: 'By default mainnet.' },
    every: { type: 'string', format: 'duration', description: 'How often to ask the nodes, by default PT5S.' },
    bump_after: {
      type: 'string',
      format: 'duration',
      description: 'How long a payout may wait for a block before its fee is raised, by default PT30M.',
    },
    first_block: {
      type: 'integer',
      minimum: 0,
      description:
        'Where to begin at the first start, for a wallet that holds coins already; by default with the head.',
    },
    max_fee_rate: {
      type: 'integer',
      minimum: 1,
      maximum: 100_000_000,
      description: 'The most that a virtual byte may cost, in smallest units; the default depends on the coin.',
    },
    account_key: {
      type: 'string',
      pattern: '^[a-z]pub[1-9A-HJ-NP-Za-km-z]{100,110}$',
      description:
        'The extended public key of the account (xpub, zpub). Without keys, deposits work and payouts do not.',
    },
    keys: keysSchema,
  },
}

/** What CONFIG_FILE says of holding coins. */
export const twoNodesSchema: Schema = {
  type: 'string',
  pattern: '^\\d{1,12}(\\.\\d{1,2})?$',
  description:
    'Deposits worth more than this, in EUR, are final only when two nodes of the chain report them; by default 0.',
}

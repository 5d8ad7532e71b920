import { createPublicKey, type KeyObject } from 'node:crypto'

import { Ajv } from 'ajv'
import { parse } from 'yaml'

import { parseDuration } from '../platform/lib/duration.ts'
import { parseAmount } from '../platform/money/amount.ts'
import { networks } from '../reference/catalog/network.ts'
import { bookedAsset } from '../reference/catalog/sync-assets.ts'

/** The most that may leave of an asset, fees included: in one transfer, or within a time (`windowMs`). In smallest units. */
export type Cap = { asset: string; per: string; windowMs: number | undefined; max: bigint }

/** What the signer signs. What no rule allows is refused. */
export type Policy = {
  caps: readonly Cap[]
  /** Destinations of payouts: anywhere, or the listed addresses and scripts only. */
  anyDestination: boolean
  allowed: ReadonlySet<string>
  /** Payments above an amount need approvals by so many different approvers. */
  approvals: readonly { asset: string; above: bigint; count: number }[]
  approvers: ReadonlyMap<string, KeyObject>
  /** The chain id of a test network that takes the place of a network of the EVM, by the network's code. */
  testChains: ReadonlyMap<string, bigint>
}

type PolicyFile = {
  caps: { asset: string; per: string; max: string }[]
  destinations: { allow?: string[]; classes?: 'customer'[] }
  approvals?: { asset: string; above: string; count: number }[]
  approvers?: { name: string; public_key: string }[]
  test_chains?: { network: string; chain_id: number }[]
}

const amount = { type: 'string', pattern: '^\\d{1,30}(\\.\\d{1,30})?$' }
const list = (required: string[], properties: object) => ({
  type: 'array',
  items: { type: 'object', additionalProperties: false, required, properties },
})
const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['caps', 'destinations'],
  properties: {
    caps: list(['asset', 'per', 'max'], {
      asset: { type: 'string' },
      per: { enum: ['transaction', 'PT1H', 'P1D'] },
      max: amount,
    }),
    destinations: {
      type: 'object',
      additionalProperties: false,
      properties: {
        allow: { type: 'array', items: { type: 'string', minLength: 1 } },
        classes: { type: 'array', items: { const: 'customer' } },
      },
    },
    approvals: list(['asset', 'above', 'count'], {
      asset: { type: 'string' },
      above: amount,
      count: { type: 'integer', minimum: 1 },
    }),
    approvers: list(['name', 'public_key'], { name: { type: 'string', minLength: 1 }, public_key: { type: 'string' } }),
    test_chains: list(['network', 'chain_id'], {
      network: { type: 'string' },
      chain_id: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    }),
  },
}

/** Reads `policy.yaml`. Refuses, in a sentence, what it does not understand, and approvals that nobody could give. */
export function readPolicy(text: string): Policy {
  const ajv = new Ajv({ allErrors: true })
  const isValid = ajv.compile<PolicyFile>(schema)
  const content: unknown = parse(text, { maxAliasCount: 0, uniqueKeys: true })
  if (!isValid(content)) throw new Error(`policy.yaml: ${ajv.errorsText(isValid.errors, { dataVar: 'policy' })}.`)
  const { caps, destinations, approvals = [], approvers = [], test_chains: testChains = [] } = content
  const keys = new Map(approvers.map(({ name, public_key: key }) => [name, publicKeyOf(name, key)]))
  const different = new Set(approvers.map(({ public_key: key }) => key))
  if (keys.size < approvers.length || different.size < approvers.length) {
    throw new Error('policy.yaml: two approvers have the same name or the same key.')
  }
  if (approvals.some(({ count }) => count > keys.size)) {
    throw new Error('policy.yaml: more approvals are needed than there are approvers.')
  }
  return {
    caps: caps.map(({ asset, per, max }) => ({
      asset,
      per,
      windowMs: per === 'transaction' ? undefined : parseDuration(per),
      max: unitsOf(asset, max),
    })),
    anyDestination: destinations.classes?.includes('customer') ?? false,
    allowed: new Set(destinations.allow),
    approvals: approvals.map(({ asset, above, count }) => ({ asset, above: unitsOf(asset, above), count })),
    approvers: keys,
    testChains: new Map(testChains.map(({ network, chain_id: id }) => [evmNetwork(network), testChain(id)])),
  }
}

function evmNetwork(code: string): string {
  const network = networks.find((one) => one.code === code)
  if (network?.family !== 'evm') throw new Error(`policy.yaml: ${code} is no network of the EVM.`)
  return code
}

function testChain(id: number): bigint {
  const known = networks.find(({ caip2 }) => caip2 === `eip155:${id}`)
  if (known) throw new Error(`policy.yaml: the chain id ${id} is that of ${known.name}.`)
  return BigInt(id)
}

function unitsOf(asset: string, text: string): bigint {
  const booked = bookedAsset(asset)
  if (!booked) throw new Error(`policy.yaml: unknown asset ${asset}.`)
  return parseAmount(text, booked)
}

function publicKeyOf(name: string, text: string): KeyObject {
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' })
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    // Reported below, like a key of another kind.
  }
  throw new Error(`policy.yaml: the public key of ${name} is not an Ed25519 key in base64 (SPKI).`)
}

/** The policy of a new signer: it signs nothing until somebody writes caps and destinations. */
export const emptyPolicy = `# What the signer signs. It refuses everything that no rule here allows. Restart the signer after a change.

# The most that may leave of an asset, fees included. per: transaction, PT1H (an hour) or P1D (a day).
# An asset needs a cap per transaction and one per day.
caps: []
#  - { asset: BTC-BTC, per: transaction, max: "0.5" }
#  - { asset: BTC-BTC, per: PT1H, max: "1" }
#  - { asset: BTC-BTC, per: P1D, max: "4" }

# Where payouts may go: classes: [customer] means anywhere within the caps; allow lists addresses.
destinations: { allow: [], classes: [] }

# Payments above an amount need this many signed approvals (cambio signer approve).
approvals: []
#  - { asset: BTC-BTC, above: "0.1", count: 2 }

# Who approves and resumes. The key is the line that "openssl pkey -in KEY -pubout" prints between BEGIN and END.
# Resuming after a halt takes two of them.
approvers: []
#  - { name: ada, public_key: "MCowBQYDK2VwAyEA..." }

# Test networks in the place of EVM networks, by their chain ids. Leave this empty where coins have value.
test_chains: []
#  - { network: ETH, chain_id: 11155111 }
`

import { createHash, createPublicKey, type KeyObject } from 'node:crypto'

import { Ajv } from 'ajv'
import { parse } from 'yaml'

import { parseDuration } from '../platform/lib/duration.ts'
import { parseAmount } from '../platform/money/amount.ts'
import { isOfBitcoin } from '../rails/bitcoin/signing-family.ts'
import { networks } from '../reference/catalog/network.ts'
import { bookedAsset, nativeAsset } from '../reference/catalog/sync-assets.ts'

/** Destinations on the allow-list, and all others. */
export type DestinationClass = 'listed' | 'customer'

/**
 * The most that may leave of an asset, in one transfer or within a time (`windowMs`), in smallest units: fees included, or to the
 * destinations of one class without fees.
 */
export type Cap = {
  asset: string
  per: string
  windowMs: number | undefined
  max: bigint
  class: DestinationClass | undefined
}

/** A test network of Bitcoin's family. */
export type TestNetwork = 'testnet' | 'regtest'

/** What the signer signs. What no rule allows is refused. */
export type Policy = {
  /** A hash of all that it says. Comments do not count. */
  version: string
  caps: readonly Cap[]
  /** Destinations of payouts: anywhere, or the listed addresses only. Each entry begins with its chain: `BTC:bc1q...`. */
  anyDestination: boolean
  allowed: ReadonlySet<string>
  /** The most that a chain may take for one transfer, of its coin in smallest units. `rate`: in billionths of the unit of the chain. */
  fees: ReadonlyMap<string, { rate: bigint | undefined; amount: bigint | undefined }>
  /**
   * Payments above an amount need approvals by so many different approvers. With a window, all that one account gets within it, under
   * any tag, counts as one payment, so that many small ones do not evade them.
   */
  approvals: readonly { asset: string; above: bigint; count: number; windowMs: number | undefined }[]
  approvers: ReadonlyMap<string, KeyObject>
  /** The chain id of a test network that takes the place of a network of the EVM, by the network's code. */
  testChains: ReadonlyMap<string, bigint>
  /** The test network that takes the place of a chain of Bitcoin's family, by the chain's code. */
  testNetworks: ReadonlyMap<string, TestNetwork>
  /** The row numbers of our addresses end before this: gas goes to none beyond, where nobody would look for it. They leave gaps. */
  ownAddresses: bigint
}

type PolicyFile = {
  caps: { asset: string; per: string; max: string; class?: DestinationClass }[]
  destinations: { allow?: string[]; classes?: 'customer'[] }
  fees?: { chain: string; max_rate?: string; max_amount?: string }[]
  approvals?: { asset: string; above: string; count: number; window?: string }[]
  approvers?: { name: string; public_key: string }[]
  test_chains?: { network: string; chain_id?: number; chain?: TestNetwork }[]
  own_addresses?: number
}

const amount = { type: 'string', pattern: '^\\d{1,30}(\\.\\d{1,30})?$' }
const rate = { type: 'string', pattern: '^\\d{1,9}(\\.\\d{1,9})?$' }
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
      class: { enum: ['listed', 'customer'] },
    }),
    destinations: {
      type: 'object',
      additionalProperties: false,
      properties: {
        allow: { type: 'array', items: { type: 'string', minLength: 1 } },
        classes: { type: 'array', items: { const: 'customer' } },
      },
    },
    fees: list(['chain'], { chain: { type: 'string' }, max_rate: rate, max_amount: amount }),
    approvals: list(['asset', 'above', 'count'], {
      asset: { type: 'string' },
      above: amount,
      count: { type: 'integer', minimum: 1 },
      window: { type: 'string', pattern: '^P(?:[1-9]\\d?D|T[1-9]\\d{0,3}[HM])$' },
    }),
    approvers: list(['name', 'public_key'], { name: { type: 'string', minLength: 1 }, public_key: { type: 'string' } }),
    test_chains: list(['network'], {
      network: { type: 'string' },
      chain_id: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
      chain: { enum: ['testnet', 'regtest'] },
    }),
    own_addresses: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
  },
}

/** Reads `policy.yaml`. Refuses, in a sentence, what it does not understand, and approvals that nobody could give. */
export function readPolicy(text: string): Policy {
  const ajv = new Ajv({ allErrors: true })
  const isValid = ajv.compile<PolicyFile>(schema)
  const content: unknown = parse(text, { maxAliasCount: 0, uniqueKeys: true })
  if (!isValid(content)) throw new Error(`policy.yaml: ${ajv.errorsText(isValid.errors, { dataVar: 'policy' })}.`)
  const { caps, destinations, fees = [], approvals = [], approvers = [], test_chains: testChains = [] } = content
  const { own_addresses: ownAddresses = 1_000_000_000_000 } = content
  const keys = new Map(approvers.map(({ name, public_key: key }) => [name, publicKeyOf(name, key)]))
  const different = new Set(approvers.map(({ public_key: key }) => key))
  if (keys.size < approvers.length || different.size < approvers.length) {
    throw new Error('policy.yaml: two approvers have the same name or the same key.')
  }
  if (approvals.some(({ count }) => count > keys.size)) {
    throw new Error('policy.yaml: more approvals are needed than there are approvers.')
  }
  return {
    version: createHash('sha256').update(JSON.stringify(content)).digest('hex'),
    caps: caps.map(({ asset, per, max, class: only }) => ({
      asset,
      class: only,
      per,
      windowMs: per === 'transaction' ? undefined : parseDuration(per),
      max: unitsOf(asset, max),
    })),
    anyDestination: destinations.classes?.includes('customer') ?? false,
    allowed: new Set(destinations.allow),
    fees: new Map(fees.map(({ chain, max_rate: most, max_amount: sum }) => [chain, feeOf(chain, most, sum)])),
    approvals: approvals.map(({ asset, above, count, window }) => ({
      asset,
      above: unitsOf(asset, above),
      count,
      windowMs: window === undefined ? undefined : parseDuration(window),
    })),
    approvers: keys,
    ownAddresses: BigInt(ownAddresses),
    ...testsOf(testChains),
  }
}

function feeOf(
  code: string,
  most: string | undefined,
  sum: string | undefined,
): { rate: bigint | undefined; amount: bigint | undefined } {
  const network = networks.find((one) => one.code === code)
  if (!network) throw new Error(`policy.yaml: unknown chain ${code}.`)
  const [whole = '0', fraction = ''] = most?.split('.') ?? []
  return {
    rate: most === undefined ? undefined : BigInt(whole + fraction.padEnd(9, '0')),
    amount: sum === undefined ? undefined : unitsOf(nativeAsset(network).id, sum),
  }
}

function testsOf(all: NonNullable<PolicyFile['test_chains']>): Pick<Policy, 'testChains' | 'testNetworks'> {
  const [testChains, testNetworks] = [new Map<string, bigint>(), new Map<string, TestNetwork>()]
  for (const { network, chain_id: id, chain } of all) {
    if ((id === undefined) === (chain === undefined)) {
      throw new Error(`policy.yaml: the test network of ${network} needs either chain_id or chain.`)
    }
    if (id !== undefined) testChains.set(evmNetwork(network), testChain(id))
    if (chain !== undefined && !isOfBitcoin(network)) {
      throw new Error(`policy.yaml: ${network} has no test networks that a policy names by chain.`)
    }
    if (chain !== undefined) testNetworks.set(network, chain)
  }
  return { testChains, testNetworks }
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

/**
 * The most that one payment of an asset may have, and its fee: what the smallest cap allows; nothing where the policy lacks a cap that it
 * needs, or allows no destination. By asset, for those with caps.
 */
export function mostOf({ caps, anyDestination, allowed }: Policy): ReadonlyMap<string, bigint> {
  const only: DestinationClass = anyDestination ? 'customer' : 'listed'
  const assets = [...new Set(caps.map(({ asset }) => asset))]
  const chains = new Set([...allowed].map((entry) => entry.slice(0, entry.indexOf(':'))))
  const names = (asset: string) => chains.has(asset.slice(asset.indexOf('-') + 1))
  return new Map(
    assets.map((asset) => {
      const own = caps.filter((cap) => cap.asset === asset && (cap.class === undefined || cap.class === only))
      const isPayable = hasNeededCaps(own) && (anyDestination || names(asset))
      const most = own.map(({ max }) => max).reduce((least, max) => (max < least ? max : least), own[0]?.max ?? 0n)
      return [asset, isPayable ? most : 0n]
    }),
  )
}

/** Whether an asset has the caps without which nothing of it is signed. */
export const hasNeededCaps = (own: readonly Cap[]): boolean =>
  ['transaction', 'P1D'].every((period) => own.some((cap) => cap.per === period && cap.class === undefined))

/** The policy of a new signer: it signs nothing until somebody writes caps and destinations. */
export const emptyPolicy = `# What the signer signs. It refuses everything that no rule here allows. Restart the signer after a change.

# The most that may leave of an asset, fees included. per: transaction, PT1H (an hour) or P1D (a day).
# An asset needs a cap per transaction and one per day. class: what goes to listed destinations, or to all others (customer), without fees.
caps: []
#  - { asset: BTC-BTC, per: transaction, max: "0.5" }
#  - { asset: BTC-BTC, per: PT1H, max: "1" }
#  - { asset: BTC-BTC, per: P1D, max: "4" }
#  - { asset: BTC-BTC, per: P1D, max: "2", class: customer }

# Where payouts may go: classes: [customer] means anywhere within the caps; allow lists addresses of one chain each.
destinations: { allow: [], classes: [] }
#  allow: ["BTC:bc1q..."]

# The most that a chain may take for one transfer. max_rate: satoshis per virtual byte, or gwei per unit of gas.
fees: []
#  - { chain: BTC, max_rate: "200", max_amount: "0.01" }

# Payments above an amount need this many signed approvals (cambio signer approve).
approvals: []
# window: what one account gets within this time, under any destination tag, counts as one payment.
#  - { asset: BTC-BTC, above: "0.1", count: 2, window: PT1H }

# Who approves and resumes. The key is the line that "openssl pkey -in KEY -pubout" prints between BEGIN and END.
# Resuming after a halt takes two of them.
approvers: []
#  - { name: ada, public_key: "MCowBQYDK2VwAyEA..." }

# Test networks in the place of EVM networks, by their chain ids, and of BTC, LTC and BCH. Leave this empty where coins have value.
test_chains: []
#  - { network: ETH, chain_id: 11155111 }
#  - { network: BTC, chain: testnet }
`

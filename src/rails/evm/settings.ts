import type { Schema } from '../../platform/lib/schema.ts'
import { networks } from '../../reference/catalog/network.ts'

/** What the EVM's rails read of the operator's settings. Times are in milliseconds. */
export type EvmSettings = {
  /** Nodes by network code. */
  rpcUrls: Readonly<Record<string, string>>
  keystoreFile: string | undefined
  keystorePasswordFile: string | undefined
  keystorePassword: string | undefined
  /** The most that a unit of gas may cost, in gwei. */
  maxFeeGwei: number
  bumpAfterMs: number
  scanEveryMs: number
}

/** One entry of CONFIG_FILE of the kind `evm`. What is absent is as the settings of all chains say. */
export type EvmEntry = {
  kind: 'evm'
  name: string
  network: string
  chain_id?: number
  /** URLs, or references to secrets that hold one. The first one is read; the second one must agree. */
  nodes: readonly string[]
  every?: string
  bump_after?: string
  max_fee_gwei?: number
}

/** What CONFIG_FILE says of a rail to a chain of the EVM. */
export const evmSchema: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['kind', 'name', 'network', 'nodes'],
  properties: {
    kind: { const: 'evm' },
    name: { type: 'string', pattern: '^[a-z0-9][a-z0-9-]{0,62}$', description: "The rail's name. Never change it." },
    network: {
      enum: networks.filter(({ family }) => family === 'evm').map(({ code }) => code),
      description: 'The network, by its code. One rail for each.',
    },
    chain_id: { type: 'integer', minimum: 1, description: 'The id that both nodes must report.' },
    nodes: {
      type: 'array',
      minItems: 1,
      maxItems: 2,
      description: 'The JSON-RPC of two independent nodes: URLs, or references to secrets that hold one.',
      items: {
        anyOf: [
          { type: 'string', format: 'url' },
          { type: 'string', format: 'secret' },
        ],
      },
    },
    every: {
      type: 'string',
      format: 'duration',
      description: 'How often to ask the nodes, by default EVM_SCAN_EVERY.',
    },
    bump_after: {
      type: 'string',
      format: 'duration',
      description: 'How long a transfer may wait for a block before its fee is raised, by default EVM_BUMP_AFTER.',
    },
    max_fee_gwei: {
      type: 'integer',
      minimum: 1,
      maximum: 1_000_000,
      description: 'The maximum gas price, in gwei, by default EVM_MAX_FEE_GWEI.',
    },
  },
}

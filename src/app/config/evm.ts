import { resolve } from 'node:path'

import type { ConfigFile } from './file.ts'
import { secret } from './secret.ts'
import { count, duration, list, optional, setting, type Values } from '../../platform/lib/setting.ts'

/** Reads comma-separated `NAME=URL` pairs. A URL may contain a key, so errors never repeat it. */
function addresses(text: string): Record<string, string> {
  const pairs = list((item): [string, string] => {
    const [, name = '', address = ''] = /^(\w+)\s*=\s*(\S+)$/.exec(item) ?? []
    if (name === '') throw new RangeError('must be a list of NAME=URL (not shown)')
    if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) {
      throw new RangeError(`has no http or https URL for ${name} (not shown)`)
    }
    return [name.toUpperCase(), address]
  })(text)
  const read = Object.fromEntries(pairs)
  if (Object.keys(read).length < pairs.length) throw new RangeError('names a network twice')
  return read
}

/** Settings of the chains of the EVM that real coins move on. */
export const evmSettings = {
  rpcUrls: setting(
    'EVM_RPC_URLS',
    '',
    addresses,
    'Nodes of EVM networks, by network code, in the sandbox: these networks then use the coins of that chain. Live mode needs rails of the kind evm in CONFIG_FILE, with two nodes.',
    'ETH=https://node.example.com/key,BASE=http://10.0.0.7:8545',
  ),
  keystoreFile: optional(
    'EVM_KEYSTORE_FILE',
    '/var/lib/cambio/evm.keystore',
    resolve,
    'The encrypted keystore of all EVM wallets (cambio keystore create). Keep a copy elsewhere. Without it, the signer (custody.signer in CONFIG_FILE) holds the keys; live mode accepts nothing else.',
  ),
  keystorePasswordFile: optional(
    'EVM_KEYSTORE_PASSWORD_FILE',
    '/run/secrets/evm-password',
    resolve,
    "A file whose first line is the keystore's password; only its owner may read it.",
  ),
  keystorePassword: optional(
    'EVM_KEYSTORE_PASSWORD',
    '',
    secret,
    "The keystore's password, if there is no password file. The file is safer.",
  ),
  maxFeeGwei: setting(
    'EVM_MAX_FEE_GWEI',
    '300',
    count(1, 1_000_000),
    'The maximum gas price, in gwei; payouts wait while it is higher.',
  ),
  bumpAfterMs: setting(
    'EVM_BUMP_AFTER',
    'PT2M',
    duration(1),
    'How long a transfer may wait for a block before its fee is raised.',
  ),
  scanEveryMs: setting('EVM_SCAN_EVERY', 'PT3S', duration(1), 'How often to poll a chain for new blocks.'),
}

/** Whether there are chains of the EVM without the keys for them: a keystore that can be opened, or no keystore and a signer. */
export const isKeyless = (
  { rpcUrls, keystoreFile, keystorePasswordFile, keystorePassword }: Values<typeof evmSettings>,
  hasSigner: boolean,
): boolean => {
  if (Object.keys(rpcUrls).length === 0) return false
  return keystoreFile === undefined ? !hasSigner : (keystorePasswordFile ?? keystorePassword) === undefined
}

/** What is wrong with chains in live mode, which accepts no keys inside the service. */
export const keyRules = (
  { rpcUrls, keystoreFile }: Values<typeof evmSettings>,
  file: Pick<ConfigFile, 'rails' | 'custody'> | undefined,
): [broken: boolean, name: string, problem: string][] => [
  [
    Object.keys(rpcUrls).length > 0,
    'EVM_RPC_URLS',
    'names one node for a chain: in live mode, name two in a rail of the kind evm in CONFIG_FILE',
  ],
  [
    (file?.rails ?? []).some(({ kind }) => kind === 'evm') && !file?.custody?.signer,
    'CONFIG_FILE',
    'needs custody.signer for rails of the kind evm in live mode: the signer has their keys',
  ],
  [
    keystoreFile !== undefined,
    'EVM_KEYSTORE_FILE',
    'puts keys inside the service: in live mode, move the file and its password to the folder of the signer, as evm.keystore and evm.keystore-password',
  ],
  ...(file?.rails ?? []).map(({ keys, name }): [boolean, string, string] => [
    keys !== undefined,
    'CONFIG_FILE',
    `puts the keys of the rail ${name} inside the service: in live mode, move them to the signer and name it in custody.signer`,
  ]),
]

import type { AddressForms } from '../../reference/addresses/output-script.ts'
import type { BitcoinSettings } from './settings.ts'

/** What differs between Bitcoin and its relatives. Amounts are in smallest units, rates for each virtual byte. */
export type ChainRules = {
  /** The network's code in the catalog. */
  code: string
  asset: string
  /** The purpose and the coin type of our keys' paths (BIP-44, BIP-84, SLIP-44). */
  purpose: 44 | 84
  coinType: number
  /** Outputs to us are P2WPKH where the chain has segregated witness, P2PKH elsewhere. */
  hasWitness: boolean
  /** Whether nodes replace a transfer by one that pays more. Elsewhere one that is late is sent again unchanged. */
  isReplaceable: boolean
  /** A transfer must say in its inputs that it may be replaced (BIP-125). Bitcoin's nodes replace any since Core 28. */
  mustSignal: boolean
  /** The digest that is signed has the fork's id (BCH replay-protected-sighash). */
  hasForkId: boolean
  /** A block's header may be followed by the proof of a parent chain (merged mining). */
  hasAuxPow: boolean
  /** Outputs below this are neither made nor credited: spending them costs more than they bring. */
  dust: bigint
  coinbaseMaturity: number
  rate: { least: bigint; usual: bigint; most: bigint }
}

const bitcoin: ChainRules = {
  code: 'BTC',
  asset: 'BTC-BTC',
  purpose: 84,
  coinType: 0,
  hasWitness: true,
  isReplaceable: true,
  mustSignal: false,
  hasForkId: false,
  hasAuxPow: false,
  dust: 546n,
  coinbaseMaturity: 100,
  rate: { least: 1n, usual: 10n, most: 200n },
}

const rules: Record<NonNullable<BitcoinSettings['asset']>, ChainRules> = {
  BTC: bitcoin,
  LTC: { ...bitcoin, code: 'LTC', asset: 'LTC-LTC', coinType: 2, mustSignal: true, dust: 5_460n },
  DOGE: {
    ...bitcoin,
    code: 'DOGE',
    asset: 'DOGE-DOGE',
    purpose: 44,
    coinType: 3,
    hasWitness: false,
    isReplaceable: false,
    hasAuxPow: true,
    dust: 1_000_000n,
    coinbaseMaturity: 240,
    rate: { least: 1_000n, usual: 2_000n, most: 50_000n },
  },
  BCH: {
    ...bitcoin,
    code: 'BCH',
    asset: 'BCH-BCH',
    purpose: 44,
    coinType: 145,
    hasWitness: false,
    isReplaceable: false,
    hasForkId: true,
    rate: { least: 1n, usual: 1n, most: 50n },
  },
}

const forms: Record<string, Record<NonNullable<BitcoinSettings['network']>, AddressForms>> = {
  BTC: {
    mainnet: { keyVersion: 0x00, scriptVersion: 0x05, prefix: 'bc' },
    testnet: { keyVersion: 0x6f, scriptVersion: 0xc4, prefix: 'tb' },
    regtest: { keyVersion: 0x6f, scriptVersion: 0xc4, prefix: 'bcrt' },
  },
  LTC: {
    mainnet: { keyVersion: 0x30, scriptVersion: 0x32, prefix: 'ltc' },
    testnet: { keyVersion: 0x6f, scriptVersion: 0x3a, prefix: 'tltc' },
    regtest: { keyVersion: 0x6f, scriptVersion: 0x3a, prefix: 'rltc' },
  },
  DOGE: {
    mainnet: { keyVersion: 0x1e, scriptVersion: 0x16, prefix: undefined },
    testnet: { keyVersion: 0x71, scriptVersion: 0xc4, prefix: undefined },
    regtest: { keyVersion: 0x6f, scriptVersion: 0xc4, prefix: undefined },
  },
  BCH: {
    mainnet: { keyVersion: 0x00, scriptVersion: 0x05, prefix: 'bitcoincash' },
    testnet: { keyVersion: 0x6f, scriptVersion: 0xc4, prefix: 'bchtest' },
    regtest: { keyVersion: 0x6f, scriptVersion: 0xc4, prefix: 'bchreg' },
  },
}

/** The chain that an entry of the settings names. Test networks have the coin type 1 (SLIP-44). */
export function chainRules({ asset = 'BTC', network = 'mainnet' }: Pick<BitcoinSettings, 'asset' | 'network'>): {
  rules: ChainRules
  forms: AddressForms
} {
  const own = rules[asset]
  const found = forms[asset]?.[network]
  if (!found) throw new Error(`${asset} has no network ${network}.`)
  return { rules: network === 'mainnet' ? own : { ...own, coinType: 1 }, forms: found }
}

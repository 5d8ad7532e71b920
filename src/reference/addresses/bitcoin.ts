import { bech32, bech32m } from '@scure/base'

import { type AddressCheck, type AddressRules, refuse } from './address-rules.ts'
import { decodeBase58, encodeBase58 } from './base58.ts'
import { type TestNetwork, testNetworkOf } from './test-network.ts'

/**
 * What differs between Bitcoin and the chains that kept its addresses. Versions are the first bytes of base58check
 * addresses: those that pay to a key's hash or a script's, and those of test networks.
 */
type Chain = {
  family: string
  name: string
  versions: Readonly<Record<'mainnet' | TestNetwork, readonly number[]>>
  /** Versions that we do not take, each with the reason. */
  refused?: Readonly<Record<number, string>>
  witness?: { prefixes: Readonly<Record<'mainnet' | TestNetwork, string>>; refused: readonly number[] }
}

/**
 * Bitcoin: base58check (`1...`, `3...`) and segregated witness of any version (`bc1...`; BIP-173 for version 0,
 * BIP-350 for later ones, which demands that versions without a meaning be taken too). Canonical is lower case for
 * `bc1`, as written for base58. Versions: Bitcoin Core, chainparams.
 */
export const bitcoin: AddressRules = rulesOf({
  family: 'bitcoin',
  name: 'Bitcoin',
  versions: { mainnet: [0x00, 0x05], testnet: [0x6f, 0xc4], regtest: [0x6f, 0xc4] },
  witness: { prefixes: { mainnet: 'bc', testnet: 'tb', regtest: 'bcrt' }, refused: [] },
})

/**
 * Litecoin: `L...`, `M...` and `ltc1...` (Litecoin Core, chainparams). Its scripts were written `3...` at first, as
 * Bitcoin's are; Litecoin Core still reads that and writes `M...`. We refuse it: nobody can tell whether it is one or
 * the other, and coins sent to a Bitcoin address on Litecoin are mostly lost. Witness versions 8 and 9 are doors of the
 * extension blocks (LIP-0003), not addresses.
 */
export const litecoin: AddressRules = rulesOf({
  family: 'litecoin',
  name: 'Litecoin',
  versions: { mainnet: [0x30, 0x32], testnet: [0x6f, 0xc4, 0x3a], regtest: [0x6f, 0xc4, 0x3a] },
  refused: {
    0x05: 'This may be a Bitcoin address. Ask your wallet for the Litecoin spelling, which begins with M or ltc1.',
  },
  witness: { prefixes: { mainnet: 'ltc', testnet: 'tltc', regtest: 'rltc' }, refused: [8, 9] },
})

/** Dogecoin: base58check, `D...` for keys, `A...` and `9...` for scripts (Dogecoin Core, chainparams). */
export const dogecoin: AddressRules = rulesOf({
  family: 'dogecoin',
  name: 'Dogecoin',
  versions: { mainnet: [0x1e, 0x16], testnet: [0x71, 0xc4], regtest: [0x6f, 0xc4] },
})

function rulesOf(chain: Chain): AddressRules {
  const { family, name, versions, witness } = chain
  return {
    check: (text) => {
      const network = testNetworkOf(family) ?? 'mainnet'
      const lower = text.toLowerCase()
      for (const [of, prefix] of Object.entries(witness?.prefixes ?? {})) {
        if (!witness || !lower.startsWith(`${prefix}1`)) continue
        if (of === network) return checkWitness(text, name, { prefix, refused: witness.refused })
        return of === 'mainnet' ? refuseMain(name) : refuseTest()
      }
      return checkBase58(text, chain, network)
    },
    make: (digest) => {
      const network = testNetworkOf(family) ?? 'mainnet'
      if (witness) return makeWitness(witness.prefixes[network], digest)
      return encodeBase58(Uint8Array.of(versions[network][0] ?? 0, ...digest.subarray(0, 20)))
    },
  }
}

const refuseTest = (): AddressCheck => refuse('This is an address of a test network.')
const refuseMain = (name: string): AddressCheck =>
  refuse(`This is an address of the main network, and ${name} runs on a test network here.`)

function checkBase58(text: string, { name, versions, refused }: Chain, network: keyof Chain['versions']): AddressCheck {
  const bytes = decodeBase58(text)
  const version = bytes?.[0]
  if (bytes?.length !== 21 || version === undefined)
    return refuse(`This is not a ${name} address: check every character.`)
  if (versions[network].includes(version)) return { ok: true, canonical: text }
  if (versions.mainnet.includes(version)) return refuseMain(name)
  if ([...versions.testnet, ...versions.regtest].includes(version)) return refuseTest()
  return refuse(refused?.[version] ?? `This is an address of another network than ${name}.`)
}

/**
 * BIP-141: a version from 0 to 16 and a program of 2 to 40 bytes; in version 0 a key's hash (20) or a script's (32).
 */
function checkWitness(
  text: string,
  name: string,
  witness: { prefix: string; refused: readonly number[] },
): AddressCheck {
  const [legacy, modern] = [bech32.decodeUnsafe(text), bech32m.decodeUnsafe(text)]
  const decoded = legacy ?? modern
  if (!decoded) return refuse('The checksum does not match: check every character.')

  const [version, ...words] = decoded.words
  if (decoded.prefix !== witness.prefix || version === undefined || version > 16 || witness.refused.includes(version))
    return refuse(`This is not a ${name} address that can be paid to.`)
  if ((version === 0) !== (decoded === legacy)) return refuse('The checksum is of the wrong kind for this address.')

  const program = bech32.fromWordsUnsafe(words)
  if (!program || program.length < 2 || program.length > 40) return refuse('This address has the wrong length.')
  if (version === 0 && program.length !== 20 && program.length !== 32)
    return refuse('This address has the wrong length.')
  return { ok: true, canonical: text.toLowerCase() }
}

const makeWitness = (prefix: string, digest: Uint8Array): string =>
  bech32.encode(prefix, [0, ...bech32.toWords(digest.subarray(0, 20))])

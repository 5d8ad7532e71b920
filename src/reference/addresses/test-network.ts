/** A network for tests, whose coins are worth nothing. */
export type TestNetwork = 'testnet' | 'regtest'

const chosen = new Map<string, TestNetwork>()

/**
 * Makes the addresses of a family those of a test network from now on, in this process: the main network's are refused then, since
 * coins sent to them would be on another chain. Only Bitcoin and its relatives have other addresses there.
 */
export function useTestNetwork(family: string, network: TestNetwork | undefined): void {
  if (network === undefined) chosen.delete(family)
  else chosen.set(family, network)
}

/** Every family has its main network's addresses again, as in a process that has opened no rail. */
export const forgetTestNetworks = (): void => chosen.clear()

export const testNetworkOf = (family: string): TestNetwork | undefined => chosen.get(family)

const base58 = '[1-9A-HJ-NP-Za-km-z]{25,34}'
const bech32 = '[02-9ac-hj-np-z]'
const regexes: Readonly<Record<string, Readonly<Record<TestNetwork, string>>>> = {
  bitcoin: {
    testnet: `^([mn2]${base58}|tb1${bech32}{11,71})$`,
    regtest: `^([mn2]${base58}|bcrt1${bech32}{11,71})$`,
  },
  litecoin: {
    testnet: `^([mnQ]${base58}|tltc1${bech32}{11,71})$`,
    regtest: `^([mnQ]${base58}|rltc1${bech32}{11,71})$`,
  },
  dogecoin: { testnet: `^[n2]${base58}$`, regtest: `^[mn2]${base58}$` },
  'bitcoin-cash': {
    testnet: `^(bchtest:)?[qpzr]${bech32}{41,111}$`,
    regtest: `^(bchreg:)?[qpzr]${bech32}{41,111}$`,
  },
}

/** The form of a family's addresses on the test network in use; undefined on the main network. */
export function testAddressRegex(family: string): string | undefined {
  const network = chosen.get(family)
  return network && regexes[family]?.[network]
}

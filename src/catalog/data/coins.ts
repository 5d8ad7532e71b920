/** One coin as it is written down here; `assemble.ts` makes the rest. */
export type CoinEntry = {
  /** From 1001 on, the next free one. Never changes, never given twice. */
  id: string
  ticker: string
  name: string
  isFeatured: boolean
  isStable: boolean
  defaultExchangeValue: string
  /** Where it lives; the first is its main network. */
  networks: readonly {
    /** A code of `networks.ts`. */
    network: string
    decimals: number
    /** The token's contract in its chain's own spelling; null for the chain's native coin. */
    contract: string | null
    /** What one payout usually costs, in this coin. */
    networkFee: string
    /** The least amount that moves, in either direction, in this coin. */
    min: string
  }[]
}

/**
 * The coins. A new one is one entry here, its drawing in `assets/logos/`, and a price level in
 * `src/pricing/recorded-levels.ts`: without a price nothing is sold. Sources:
 * - Tether's contracts: tether.to/en/supported-protocols; decimals: `decimals()` of the contracts (etherscan.io,
 *   tronscan.org).
 * - `networkFee`: our price list, of the usual size of a payout and the usual price of space in 2026. Bitcoin: 141 vB
 *   (one P2WPKH input, two outputs) at 20 sat/vB. Ethereum: 21,000 gas at 14 gwei; a token transfer takes about
 *   65,000 gas. Tron: a TRC-20 transfer takes about 65,000 energy at 100 sun and 345 bytes at 1,000 sun, near 7 TRX.
 * - `min`: our policy: a payout is at least three times its network fee.
 */
export const coinEntries: readonly CoinEntry[] = [
  {
    id: '1001',
    ticker: 'BTC',
    name: 'Bitcoin',
    isFeatured: true,
    isStable: false,
    defaultExchangeValue: '0.01',
    networks: [{ network: 'BTC', decimals: 8, contract: null, networkFee: '0.00003', min: '0.0001' }],
  },
  {
    id: '1002',
    ticker: 'ETH',
    name: 'Ethereum',
    isFeatured: true,
    isStable: false,
    defaultExchangeValue: '0.1',
    networks: [{ network: 'ETH', decimals: 18, contract: null, networkFee: '0.0003', min: '0.001' }],
  },
  {
    id: '1003',
    ticker: 'USDT',
    name: 'Tether USD',
    isFeatured: true,
    isStable: true,
    defaultExchangeValue: '100',
    networks: [
      {
        network: 'ETH',
        decimals: 6,
        contract: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
        networkFee: '2',
        min: '6',
      },
      {
        network: 'TRX',
        decimals: 6,
        contract: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
        networkFee: '2',
        min: '6',
      },
    ],
  },
]

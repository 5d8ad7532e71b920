/** One coin as it is written down here; `currency.ts` makes the rest. */
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
    /** The token's contract address, in its chain's own format; null for the chain's native coin. */
    contract: string | null
    /** What one payout usually costs, in this coin. */
    networkFee: string
    /** The least amount that moves, in either direction, in this coin. */
    min: string
  }[]
}

/**
 * The coins. A new one is one entry here, its drawing in `assets/logos/`, and a price level in
 * `src/markets/recorded/recorded-levels.ts`: without a price nothing is sold. Sources:
 * - Contracts and decimals of tokens on Ethereum, its rollups, Polygon, Avalanche and Solana: the Uniswap default token
 *   list (tokens.uniswap.org, August 2026). USDC and EURC as their issuer publishes them (developers.circle.com,
 *   contract addresses); DAI and OP on Optimism and Base also in the Superchain token list; ARB and USDC on Arbitrum,
 *   USDT on Avalanche, TON and Polygon, and USDC on Algorand and Stellar in trustwallet/assets; EURC on Stellar in
 *   several wallets' sources; Tether's own in tether.to/en/supported-protocols.
 * - Tether itself issues no dollar on BNB Smart Chain, Polygon and Arbitrum: there USDT is what a bridge issues under
 *   that name (Binance-Peg, with 18 decimals: PancakeSwap's token list; Polygon's PoS bridge; on Arbitrum USDT0, at the
 *   address of the bridge's old contract), and it is what wallets and exchanges there mean by it.
 * - Spelling of a contract: EIP-55 on EVM chains, base58 elsewhere; on Algorand the asset's number; on Stellar
 *   `CODE-ISSUER`, as CAIP-19 writes it; on TON the jetton's master in its bounceable form, as explorers write it.
 * - MATIC became POL in September 2024 (Polygon, "MATIC to POL migration"): the coin is `POL`, the network's code is
 *   what partners have always written, `MATIC`.
 * - DOT lives on Asset Hub since November 2025 (polkadot-fellows/runtimes 2.0.0).
 * - `networkFee`: our price list, of the usual size of a payout and the usual price of space in 2026. Bitcoin: 141 vB
 *   (one P2WPKH input, two outputs) at 20 sat/vB; Litecoin, Dogecoin and Bitcoin Cash: some 200 bytes at about ten
 *   times their least relay price. Ethereum: 21,000 gas at 14 gwei; a token transfer takes about 65,000 gas, near 2
 *   dollars. Its rollups, Polygon, Avalanche and BNB Smart Chain: cents, most of it margin. Tron: a TRC-20 transfer
 *   takes about 65,000 energy at 100 sun and 345 bytes at 1,000 sun, near 7 TRX; a first payment to an address costs
 *   1.1 TRX (developers.tron.network, account activation). Solana: a token's first payment to an owner opens an
 *   account, 0.00204 SOL of rent. A TON jetton transfer carries about 0.05 TON.
 * - `min`: our policy: a payout is at least three times its network fee, and enough for what a chain demands of a new
 *   address: 1 XRP (xrpl.org, reserves), 1 XLM (two base reserves of 0.5), 0.1 ALGO, about 1 ADA, 0.01 DOT.
 */
export const coinEntries: readonly CoinEntry[] = [
  {
    id: '1001',
    ticker: 'BTC',
    name: 'Bitcoin',
    isFeatured: true,
    isStable: false,
    defaultExchangeValue: '0.01',
    networks: [
      { network: 'BTC', decimals: 8, contract: null, networkFee: '0.00003', min: '0.0001' },
    ],
  },
  {
    id: '1002',
    ticker: 'ETH',
    name: 'Ethereum',
    isFeatured: true,
    isStable: false,
    defaultExchangeValue: '0.1',
    networks: [
      { network: 'ETH', decimals: 18, contract: null, networkFee: '0.0003', min: '0.001' },
      { network: 'BASE', decimals: 18, contract: null, networkFee: '0.00002', min: '0.001' },
      { network: 'ARBITRUM', decimals: 18, contract: null, networkFee: '0.00002', min: '0.001' },
      { network: 'OPTIMISM', decimals: 18, contract: null, networkFee: '0.00002', min: '0.001' },
    ],
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
      { network: 'TRX', decimals: 6, contract: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', networkFee: '2', min: '6' },
      {
        network: 'BSC',
        decimals: 18,
        contract: '0x55d398326f99059fF775485246999027B3197955',
        networkFee: '0.2',
        min: '1',
      },
      {
        network: 'SOL',
        decimals: 6,
        contract: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
        networkFee: '0.5',
        min: '2',
      },
      {
        network: 'MATIC',
        decimals: 6,
        contract: '0xc2132D05D31c914a87C6611C10748AEb04B58e8F',
        networkFee: '0.1',
        min: '1',
      },
      {
        network: 'AVAX',
        decimals: 6,
        contract: '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7',
        networkFee: '0.1',
        min: '1',
      },
      {
        network: 'ARBITRUM',
        decimals: 6,
        contract: '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9',
        networkFee: '0.1',
        min: '1',
      },
      {
        network: 'TON',
        decimals: 6,
        contract: 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs',
        networkFee: '0.3',
        min: '1',
      },
    ],
  },
  {
    id: '1004',
    ticker: 'USDC',
    name: 'USD Coin',
    isFeatured: true,
    isStable: true,
    defaultExchangeValue: '100',
    networks: [
      {
        network: 'ETH',
        decimals: 6,
        contract: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
        networkFee: '2',
        min: '6',
      },
      {
        network: 'SOL',
        decimals: 6,
        contract: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
        networkFee: '0.5',
        min: '2',
      },
      {
        network: 'BASE',
        decimals: 6,
        contract: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
        networkFee: '0.1',
        min: '1',
      },
      {
        network: 'ARBITRUM',
        decimals: 6,
        contract: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
        networkFee: '0.1',
        min: '1',
      },
      {
        network: 'OPTIMISM',
        decimals: 6,
        contract: '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85',
        networkFee: '0.1',
        min: '1',
      },
      {
        network: 'MATIC',
        decimals: 6,
        contract: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
        networkFee: '0.1',
        min: '1',
      },
      {
        network: 'AVAX',
        decimals: 6,
        contract: '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E',
        networkFee: '0.1',
        min: '1',
      },
      { network: 'ALGO', decimals: 6, contract: '31566704', networkFee: '0.05', min: '1' },
      {
        network: 'XLM',
        decimals: 7,
        contract: 'USDC-GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN',
        networkFee: '0.05',
        min: '1',
      },
    ],
  },
  {
    id: '1005',
    ticker: 'BNB',
    name: 'BNB',
    isFeatured: false,
    isStable: false,
    defaultExchangeValue: '0.2',
    networks: [
      { network: 'BSC', decimals: 18, contract: null, networkFee: '0.0001', min: '0.002' },
    ],
  },
  {
    id: '1006',
    ticker: 'SOL',
    name: 'Solana',
    isFeatured: true,
    isStable: false,
    defaultExchangeValue: '1',
    networks: [{ network: 'SOL', decimals: 9, contract: null, networkFee: '0.001', min: '0.01' }],
  },
  {
    id: '1007',
    ticker: 'XRP',
    name: 'XRP',
    isFeatured: true,
    isStable: false,
    defaultExchangeValue: '50',
    networks: [{ network: 'XRP', decimals: 6, contract: null, networkFee: '0.02', min: '5' }],
  },
  {
    id: '1008',
    ticker: 'ADA',
    name: 'Cardano',
    isFeatured: false,
    isStable: false,
    defaultExchangeValue: '150',
    networks: [{ network: 'ADA', decimals: 6, contract: null, networkFee: '0.2', min: '2' }],
  },
  {
    id: '1009',
    ticker: 'DOGE',
    name: 'Dogecoin',
    isFeatured: false,
    isStable: false,
    defaultExchangeValue: '400',
    networks: [{ network: 'DOGE', decimals: 8, contract: null, networkFee: '0.5', min: '10' }],
  },
  {
    id: '1010',
    ticker: 'TRX',
    name: 'Tron',
    isFeatured: false,
    isStable: false,
    defaultExchangeValue: '500',
    networks: [{ network: 'TRX', decimals: 6, contract: null, networkFee: '1.4', min: '10' }],
  },
  {
    id: '1011',
    ticker: 'TON',
    name: 'Toncoin',
    isFeatured: false,
    isStable: false,
    defaultExchangeValue: '25',
    networks: [{ network: 'TON', decimals: 9, contract: null, networkFee: '0.02', min: '1' }],
  },
  {
    id: '1012',
    ticker: 'AVAX',
    name: 'Avalanche',
    isFeatured: false,
    isStable: false,
    defaultExchangeValue: '4',
    networks: [
      { network: 'AVAX', decimals: 18, contract: null, networkFee: '0.002', min: '0.05' },
    ],
  },
  {
    id: '1013',
    ticker: 'XLM',
    name: 'Stellar Lumens',
    isFeatured: false,
    isStable: false,
    defaultExchangeValue: '400',
    networks: [{ network: 'XLM', decimals: 7, contract: null, networkFee: '0.01', min: '5' }],
  },
  {
    id: '1014',
    ticker: 'DOT',
    name: 'Polkadot',
    isFeatured: false,
    isStable: false,
    defaultExchangeValue: '20',
    networks: [{ network: 'DOT', decimals: 10, contract: null, networkFee: '0.02', min: '1' }],
  },
  {
    id: '1015',
    ticker: 'BCH',
    name: 'Bitcoin Cash',
    isFeatured: false,
    isStable: false,
    defaultExchangeValue: '0.3',
    networks: [
      { network: 'BCH', decimals: 8, contract: null, networkFee: '0.00002', min: '0.001' },
    ],
  },
  {
    id: '1016',
    ticker: 'LTC',
    name: 'Litecoin',
    isFeatured: false,
    isStable: false,
    defaultExchangeValue: '1',
    networks: [{ network: 'LTC', decimals: 8, contract: null, networkFee: '0.0002', min: '0.01' }],
  },
  {
    id: '1017',
    ticker: 'ALGO',
    name: 'Algorand',
    isFeatured: false,
    isStable: false,
    defaultExchangeValue: '400',
    networks: [{ network: 'ALGO', decimals: 6, contract: null, networkFee: '0.01', min: '1' }],
  },
  {
    id: '1018',
    ticker: 'POL',
    name: 'POL',
    isFeatured: false,
    isStable: false,
    defaultExchangeValue: '300',
    networks: [
      { network: 'MATIC', decimals: 18, contract: null, networkFee: '0.02', min: '2' },
      {
        network: 'ETH',
        decimals: 18,
        contract: '0x455e53CBB86018Ac2B8092FdCd39d8444aFFC3F6',
        networkFee: '4',
        min: '12',
      },
    ],
  },
  {
    id: '1019',
    ticker: 'DAI',
    name: 'Dai',
    isFeatured: false,
    isStable: true,
    defaultExchangeValue: '100',
    networks: [
      {
        network: 'ETH',
        decimals: 18,
        contract: '0x6B175474E89094C44Da98b954EedeAC495271d0F',
        networkFee: '2',
        min: '6',
      },
      {
        network: 'MATIC',
        decimals: 18,
        contract: '0x8f3Cf7ad23Cd3CaDbD9735AFf958023239c6A063',
        networkFee: '0.1',
        min: '1',
      },
      {
        network: 'OPTIMISM',
        decimals: 18,
        contract: '0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1',
        networkFee: '0.1',
        min: '1',
      },
      {
        network: 'BASE',
        decimals: 18,
        contract: '0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb',
        networkFee: '0.1',
        min: '1',
      },
    ],
  },
  {
    id: '1020',
    ticker: 'EURC',
    name: 'EURC',
    isFeatured: false,
    isStable: true,
    defaultExchangeValue: '100',
    networks: [
      {
        network: 'ETH',
        decimals: 6,
        contract: '0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c',
        networkFee: '2',
        min: '6',
      },
      {
        network: 'SOL',
        decimals: 6,
        contract: 'HzwqbKZw8HxMN6bF2yFZNrht3c2iXXzpKcFu7uBEDKtr',
        networkFee: '0.5',
        min: '2',
      },
      {
        network: 'BASE',
        decimals: 6,
        contract: '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42',
        networkFee: '0.1',
        min: '1',
      },
      {
        network: 'AVAX',
        decimals: 6,
        contract: '0xC891EB4cbdEFf6e073e859e987815Ed1505c2ACD',
        networkFee: '0.1',
        min: '1',
      },
      {
        network: 'XLM',
        decimals: 7,
        contract: 'EURC-GDHU6WRG4IEQXM5NZ4BMPKOXHW76MZM4Y2IEMFDVXBSDP6SJY4ITNPP2',
        networkFee: '0.05',
        min: '1',
      },
    ],
  },
  {
    id: '1021',
    ticker: 'PYUSD',
    name: 'PayPal USD',
    isFeatured: false,
    isStable: true,
    defaultExchangeValue: '100',
    networks: [
      {
        network: 'ETH',
        decimals: 6,
        contract: '0x6c3ea9036406852006290770BEdFcAbA0e23A0e8',
        networkFee: '2',
        min: '6',
      },
      {
        network: 'SOL',
        decimals: 6,
        contract: '2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo',
        networkFee: '0.5',
        min: '2',
      },
    ],
  },
  {
    id: '1022',
    ticker: 'WBTC',
    name: 'Wrapped Bitcoin',
    isFeatured: false,
    isStable: false,
    defaultExchangeValue: '0.01',
    networks: [
      {
        network: 'ETH',
        decimals: 8,
        contract: '0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599',
        networkFee: '0.00003',
        min: '0.0001',
      },
    ],
  },
  {
    id: '1023',
    ticker: 'LINK',
    name: 'Chainlink',
    isFeatured: false,
    isStable: false,
    defaultExchangeValue: '10',
    networks: [
      {
        network: 'ETH',
        decimals: 18,
        contract: '0x514910771AF9Ca656af840dff83E8264EcF986CA',
        networkFee: '0.1',
        min: '0.4',
      },
    ],
  },
  {
    id: '1024',
    ticker: 'UNI',
    name: 'Uniswap',
    isFeatured: false,
    isStable: false,
    defaultExchangeValue: '10',
    networks: [
      {
        network: 'ETH',
        decimals: 18,
        contract: '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984',
        networkFee: '0.2',
        min: '0.6',
      },
    ],
  },
  {
    id: '1025',
    ticker: 'AAVE',
    name: 'Aave',
    isFeatured: false,
    isStable: false,
    defaultExchangeValue: '0.5',
    networks: [
      {
        network: 'ETH',
        decimals: 18,
        contract: '0x7Fc66500c84A76Ad7e9c93437bFc5Ac33E2DDaE9',
        networkFee: '0.008',
        min: '0.03',
      },
    ],
  },
  {
    id: '1026',
    ticker: 'SHIB',
    name: 'Shiba Inu',
    isFeatured: false,
    isStable: false,
    defaultExchangeValue: '5000000',
    networks: [
      {
        network: 'ETH',
        decimals: 18,
        contract: '0x95aD61b0a150d79219dCF64E1E6Cc01f0B64C4cE',
        networkFee: '100000',
        min: '300000',
      },
    ],
  },
  {
    id: '1027',
    ticker: 'PEPE',
    name: 'Pepe',
    isFeatured: false,
    isStable: false,
    defaultExchangeValue: '5000000',
    networks: [
      {
        network: 'ETH',
        decimals: 18,
        contract: '0x6982508145454Ce325dDbE47a25d4ec3d2311933',
        networkFee: '100000',
        min: '300000',
      },
    ],
  },
  {
    id: '1028',
    ticker: 'ARB',
    name: 'Arbitrum',
    isFeatured: false,
    isStable: false,
    defaultExchangeValue: '150',
    networks: [
      {
        network: 'ARBITRUM',
        decimals: 18,
        contract: '0x912CE59144191C1204E64559FE8253a0e49E6548',
        networkFee: '0.1',
        min: '1',
      },
    ],
  },
  {
    id: '1029',
    ticker: 'OP',
    name: 'Optimism',
    isFeatured: false,
    isStable: false,
    defaultExchangeValue: '60',
    networks: [
      {
        network: 'OPTIMISM',
        decimals: 18,
        contract: '0x4200000000000000000000000000000000000042',
        networkFee: '0.05',
        min: '1',
      },
    ],
  },
  {
    id: '1030',
    ticker: 'ONDO',
    name: 'Ondo',
    isFeatured: false,
    isStable: false,
    defaultExchangeValue: '100',
    networks: [
      {
        network: 'ETH',
        decimals: 18,
        contract: '0xfAbA6f8e4a5E8Ab82F62fe7C39859FA577269BE3',
        networkFee: '1.5',
        min: '5',
      },
    ],
  },
  {
    id: '1031',
    ticker: 'ENS',
    name: 'Ethereum Name Service',
    isFeatured: false,
    isStable: false,
    defaultExchangeValue: '4',
    networks: [
      {
        network: 'ETH',
        decimals: 18,
        contract: '0xC18360217D8F7Ab5e7c516566761Ea12Ce7F9D72',
        networkFee: '0.07',
        min: '0.25',
      },
    ],
  },
  {
    id: '1032',
    ticker: 'GRT',
    name: 'The Graph',
    isFeatured: false,
    isStable: false,
    defaultExchangeValue: '600',
    networks: [
      {
        network: 'ETH',
        decimals: 18,
        contract: '0xc944E90C64B2c07662A292be6244BDf05Cda44a7',
        networkFee: '10',
        min: '30',
      },
    ],
  },
  {
    id: '1033',
    ticker: 'LDO',
    name: 'Lido DAO',
    isFeatured: false,
    isStable: false,
    defaultExchangeValue: '60',
    networks: [
      {
        network: 'ETH',
        decimals: 18,
        contract: '0x5A98FcBEA516Cf06857215779Fd812CA3beF1B32',
        networkFee: '1.2',
        min: '4',
      },
    ],
  },
  {
    id: '1034',
    ticker: 'CRV',
    name: 'Curve DAO',
    isFeatured: false,
    isStable: false,
    defaultExchangeValue: '120',
    networks: [
      {
        network: 'ETH',
        decimals: 18,
        contract: '0xD533a949740bb3306d119CC777fa900bA034cd52',
        networkFee: '2.5',
        min: '8',
      },
    ],
  },
  {
    id: '1035',
    ticker: 'BONK',
    name: 'Bonk',
    isFeatured: false,
    isStable: false,
    defaultExchangeValue: '4000000',
    networks: [
      {
        network: 'SOL',
        decimals: 5,
        contract: 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263',
        networkFee: '20000',
        min: '70000',
      },
    ],
  },
  {
    id: '1036',
    ticker: 'JUP',
    name: 'Jupiter',
    isFeatured: false,
    isStable: false,
    defaultExchangeValue: '120',
    networks: [
      {
        network: 'SOL',
        decimals: 6,
        contract: 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN',
        networkFee: '0.7',
        min: '3',
      },
    ],
  },
  {
    id: '1037',
    ticker: 'PYTH',
    name: 'Pyth Network',
    isFeatured: false,
    isStable: false,
    defaultExchangeValue: '300',
    networks: [
      {
        network: 'SOL',
        decimals: 6,
        contract: 'HZ1JovNiVvGrGNiiYvEozEVgZ58xaU3RKwX8eACQBCt3',
        networkFee: '1.5',
        min: '5',
      },
    ],
  },
]

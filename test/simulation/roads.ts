/** What customers exchange in the simulation: sides, methods and networks, each with an ordinary amount of what they give. */
export type Road = {
  from: string
  fromNetwork?: string
  to: string
  toNetwork?: string
  /** How the money comes in; the currency's first way if nothing is said. */
  category?: string
  /** The least, in hundredths of what is usual: `amount` times 1 to 40. */
  amount: { units: bigint; decimals: number }
}

const euros = { units: 5_000n, decimals: 2 }

/** Buys at pages and by bank, sells, swaps, with and without memos, with coins of one ticker on two networks. */
export const roads: readonly Road[] = [
  { from: 'EUR', to: 'BTC', category: 'VISA_MC', amount: euros },
  { from: 'EUR', to: 'ETH', category: 'SEPA', amount: euros },
  { from: 'EUR', to: 'USDT', toNetwork: 'TRX', category: 'OPEN_BANKING', amount: euros },
  { from: 'EUR', to: 'XRP', category: 'APPLE_PAY', amount: euros },
  { from: 'GBP', to: 'ETH', category: 'FASTERPAYMENTS', amount: euros },
  { from: 'GBP', to: 'BTC', category: 'VISA_MC', amount: euros },
  { from: 'BTC', to: 'EUR', amount: { units: 100_000n, decimals: 8 } },
  { from: 'ETH', to: 'GBP', amount: { units: 30n, decimals: 3 } },
  { from: 'USDT', fromNetwork: 'ETH', to: 'EUR', amount: { units: 80n, decimals: 0 } },
  { from: 'XRP', to: 'EUR', amount: { units: 60n, decimals: 0 } },
  { from: 'BTC', to: 'ETH', amount: { units: 100_000n, decimals: 8 } },
  { from: 'USDT', fromNetwork: 'TRX', to: 'USDT', toNetwork: 'ETH', amount: { units: 90n, decimals: 0 } },
  { from: 'ETH', to: 'XRP', amount: { units: 40n, decimals: 3 } },
  { from: 'XRP', to: 'USDT', toNetwork: 'TRX', amount: { units: 70n, decimals: 0 } },
]

/** The networks on which they move: each place must hold what its payouts cost. */
export const chains = ['BTC', 'ETH', 'TRX', 'XRP'] as const

/** Money in accounts. */
export const fiats = ['EUR', 'GBP'] as const

/** Whole units as decimal text. */
export function decimalText({ units, decimals }: Road['amount'], times: bigint): string {
  const digits = String(units * times).padStart(decimals + 1, '0')
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

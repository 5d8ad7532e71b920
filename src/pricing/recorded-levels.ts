/** How a currency moves in the recorded market: how far from its level, and how far bid and ask stand from the middle. */
export type Motion = {
  /** Greatest distance from the level, in millionths of it. */
  amplitude: bigint
  /** From the middle to bid and to ask, in millionths. */
  halfSpread: bigint
}

/** Fiat money moves within 0.8 percent, a stablecoin within 0.05 of its dollar, a coin within 3. */
const fiat: Motion = { amplitude: 8_000n, halfSpread: 50n }
const stable: Motion = { amplitude: 500n, halfSpread: 50n }
const coin: Motion = { amplitude: 30_000n, halfSpread: 200n }

/** One recorded level: for fiat money how much of it one euro buys, for a coin how many dollars one costs. */
export type RecordedLevel = { ticker: string; motion: Motion } & ({ perEuro: string } | { dollars: string })

/**
 * Real levels of 31 December 2024, as published. A currency that the catalogue lists and this file does not has no price
 * in the sandbox, and is not available there. Sources:
 * - `perEuro`: European Central Bank, euro foreign exchange reference rates of 31 December 2024 (ecb.europa.eu).
 * - `dollars`: CoinMarketCap, historical data, close of 31 December 2024 UTC (coinmarketcap.com).
 */
export const recordedLevels: readonly RecordedLevel[] = [
  { ticker: 'USD', perEuro: '1.0389', motion: fiat },
  { ticker: 'GBP', perEuro: '0.82918', motion: fiat },
  { ticker: 'BTC', dollars: '93429.20', motion: coin },
  { ticker: 'ETH', dollars: '3332.53', motion: coin },
  { ticker: 'USDT', dollars: '0.998', motion: stable },
]

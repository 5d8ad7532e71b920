/** How a currency moves in the recorded market: how far from its level, and how far bid and ask are from the mid price. */
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

/** One recorded level: how much of it one euro buys, or (most coins) how many dollars one costs. */
export type RecordedLevel = { ticker: string; motion: Motion } & ({ perEuro: string } | { dollars: string })

/**
 * Levels of 31 December 2024. A currency that the catalog lists and this file does not has no price in the sandbox,
 * and is not available there. Sources:
 * - `perEuro`: European Central Bank, euro foreign exchange reference rates of 31 December 2024 (ecb.europa.eu). The
 *   ECB publishes none for the dirham, the two dinars with a peg, and the three below them: those say so.
 * - Pegs: Central Bank of the UAE (3.6725), Central Bank of Bahrain (0.376), Central Bank of Jordan (0.709, the middle
 *   of its two rates), each times the ECB's dollar of that day.
 * - `dollars` of BTC, ETH and USDT: CoinMarketCap, historical data, close of 31 December 2024 UTC (coinmarketcap.com).
 *   The other coins are near their prices of that day, rounded, and were compared with no published table: order of
 *   magnitude, for the sandbox only. A coin that follows the euro is given in euro.
 */
export const recordedLevels: readonly RecordedLevel[] = [
  { ticker: 'USD', perEuro: '1.0389', motion: fiat },
  { ticker: 'GBP', perEuro: '0.82918', motion: fiat },
  { ticker: 'CHF', perEuro: '0.9412', motion: fiat },
  { ticker: 'PLN', perEuro: '4.275', motion: fiat },
  { ticker: 'CZK', perEuro: '25.185', motion: fiat },
  { ticker: 'SEK', perEuro: '11.459', motion: fiat },
  { ticker: 'NOK', perEuro: '11.795', motion: fiat },
  { ticker: 'DKK', perEuro: '7.4578', motion: fiat },
  { ticker: 'HUF', perEuro: '411.35', motion: fiat },
  { ticker: 'RON', perEuro: '4.9743', motion: fiat },
  { ticker: 'ISK', perEuro: '143.9', motion: fiat },
  { ticker: 'TRY', perEuro: '36.7372', motion: fiat },
  { ticker: 'CAD', perEuro: '1.4948', motion: fiat },
  { ticker: 'AUD', perEuro: '1.6772', motion: fiat },
  { ticker: 'NZD', perEuro: '1.8532', motion: fiat },
  { ticker: 'JPY', perEuro: '163.06', motion: fiat },
  { ticker: 'KRW', perEuro: '1532.15', motion: fiat },
  { ticker: 'SGD', perEuro: '1.4164', motion: fiat },
  { ticker: 'HKD', perEuro: '8.0686', motion: fiat },
  { ticker: 'THB', perEuro: '35.676', motion: fiat },
  { ticker: 'INR', perEuro: '88.9335', motion: fiat },
  { ticker: 'ILS', perEuro: '3.7885', motion: fiat },
  { ticker: 'ZAR', perEuro: '19.6188', motion: fiat },
  { ticker: 'BRL', perEuro: '6.4253', motion: fiat },
  { ticker: 'MXN', perEuro: '21.5504', motion: fiat },

  // Through the peg to the dollar.
  { ticker: 'AED', perEuro: '3.8154', motion: fiat }, // 3.6725 to the dollar
  { ticker: 'BHD', perEuro: '0.39063', motion: fiat }, // 0.376 to the dollar
  { ticker: 'JOD', perEuro: '0.73658', motion: fiat }, // 0.709 to the dollar

  // Order of magnitude, for the sandbox only.
  { ticker: 'KWD', perEuro: '0.32', motion: fiat },
  { ticker: 'CLP', perEuro: '1030', motion: fiat },
  { ticker: 'COP', perEuro: '4580', motion: fiat },

  // Closes, as published.
  { ticker: 'BTC', dollars: '93429.20', motion: coin },
  { ticker: 'ETH', dollars: '3332.53', motion: coin },
  { ticker: 'USDT', dollars: '0.998', motion: stable },

  // Order of magnitude, for the sandbox only.
  { ticker: 'EURC', perEuro: '1', motion: stable },
  { ticker: 'USDC', dollars: '1', motion: stable },
  { ticker: 'BNB', dollars: '700', motion: coin },
  { ticker: 'SOL', dollars: '189', motion: coin },
  { ticker: 'XRP', dollars: '2.08', motion: coin },
  { ticker: 'ADA', dollars: '0.84', motion: coin },
  { ticker: 'DOGE', dollars: '0.32', motion: coin },
  { ticker: 'TRX', dollars: '0.25', motion: coin },
  { ticker: 'TON', dollars: '5.6', motion: coin },
  { ticker: 'AVAX', dollars: '36', motion: coin },
  { ticker: 'XLM', dollars: '0.33', motion: coin },
  { ticker: 'DOT', dollars: '6.6', motion: coin },
  { ticker: 'BCH', dollars: '434', motion: coin },
  { ticker: 'LTC', dollars: '103', motion: coin },
  { ticker: 'ALGO', dollars: '0.33', motion: coin },
  { ticker: 'POL', dollars: '0.45', motion: coin },
  { ticker: 'DAI', dollars: '1', motion: stable },
  { ticker: 'PYUSD', dollars: '1', motion: stable },
  { ticker: 'WBTC', dollars: '93200', motion: coin },
  { ticker: 'LINK', dollars: '20', motion: coin },
  { ticker: 'UNI', dollars: '13.2', motion: coin },
  { ticker: 'AAVE', dollars: '309', motion: coin },
  { ticker: 'SHIB', dollars: '0.000021', motion: coin },
  { ticker: 'PEPE', dollars: '0.00002', motion: coin },
  { ticker: 'ARB', dollars: '0.72', motion: coin },
  { ticker: 'OP', dollars: '1.75', motion: coin },
  { ticker: 'ONDO', dollars: '1.37', motion: coin },
  { ticker: 'ENS', dollars: '33', motion: coin },
  { ticker: 'GRT', dollars: '0.2', motion: coin },
  { ticker: 'LDO', dollars: '1.8', motion: coin },
  { ticker: 'CRV', dollars: '0.9', motion: coin },
  { ticker: 'BONK', dollars: '0.00003', motion: coin },
  { ticker: 'JUP', dollars: '0.83', motion: coin },
  { ticker: 'PYTH', dollars: '0.36', motion: coin },
]

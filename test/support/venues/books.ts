/** The order books of an exchange's server by pair, `BTC/EUR`; a test changes them in place. */
export type VenueBooks = Record<string, { bids: [price: string, amount: string][]; asks: [string, string][] }>

import type { FiatMethod } from './payment-methods.ts'

/** One fiat currency as it is written down here; `assemble.ts` makes the rest. */
export type FiatEntry = {
  ticker: string
  name: string
  /** ISO 4217's three digits; without leading zeros it is the currency's id. */
  numeric: string
  /** ISO 4217's minor units. */
  decimals: number
  isFeatured: boolean
  defaultExchangeValue: string
  /** Its methods in the order of preference, with the least and greatest amount, both accepted; null is no bound. */
  methods: readonly { type: FiatMethod; min: string | null; max: string | null }[]
}

/**
 * The fiat currencies. Sources: ISO 4217 list one (six-group.com, data standards) for ticker, name, number and minor
 * units. The bounds are our policy: a card payment is 20 to 15,000 euro or about as much; bank transfers start at 50.
 */
export const fiatEntries: readonly FiatEntry[] = [
  {
    ticker: 'EUR',
    name: 'Euro',
    numeric: '978',
    decimals: 2,
    isFeatured: true,
    defaultExchangeValue: '100',
    methods: [
      { type: 'VISA_MC_1', min: '20', max: '15000' },
      { type: 'SEPA_1', min: '50', max: '100000' },
    ],
  },
  {
    ticker: 'USD',
    name: 'US Dollar',
    numeric: '840',
    decimals: 2,
    isFeatured: true,
    defaultExchangeValue: '100',
    methods: [
      { type: 'VISA_MC_1', min: '20', max: '15000' },
      { type: 'SWIFT_1', min: '500', max: '100000' },
    ],
  },
  {
    ticker: 'GBP',
    name: 'Pound Sterling',
    numeric: '826',
    decimals: 2,
    isFeatured: false,
    defaultExchangeValue: '100',
    methods: [
      { type: 'VISA_MC_1', min: '20', max: '13000' },
      { type: 'FASTERPAYMENTS_1', min: '50', max: '85000' },
    ],
  },
]

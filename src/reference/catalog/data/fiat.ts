import type { FiatMethod } from './payment-methods.ts'

/** One fiat currency as it is written down here; `currency.ts` makes the rest. */
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
 * The fiat currencies. Sources: ISO 4217 list one (six-group.com, data standards) for ticker, number and minor units;
 * names of Unicode CLDR. The lev is not here: Bulgaria's currency is the euro since 2026-01-01 (Council Regulation (EU)
 * 2025/1409).
 *
 * The bounds are our policy, in round figures of each currency: a payment on a card, in a wallet or on a bank's page is
 * 20 to 15,000 euro or about as much, a domestic or SEPA transfer starts at 50 and ends at 100,000 or the scheme's own
 * limit, and a SWIFT transfer starts at 500, because its banks take fixed charges on the way. Pix and SPEI cost next to
 * nothing and start where cards do.
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
      { type: 'APPLE_PAY_1', min: '20', max: '15000' },
      { type: 'GOOGLE_PAY_1', min: '20', max: '15000' },
      { type: 'SEPA_1', min: '50', max: '100000' },
      { type: 'OPEN_BANKING_1', min: '20', max: '25000' },
      { type: 'REVOLUT_PAY_1', min: '20', max: '10000' },
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
      { type: 'APPLE_PAY_1', min: '20', max: '15000' },
      { type: 'GOOGLE_PAY_1', min: '20', max: '15000' },
      { type: 'SWIFT_1', min: '500', max: '100000' },
    ],
  },
  {
    ticker: 'GBP',
    name: 'Pound Sterling',
    numeric: '826',
    decimals: 2,
    isFeatured: true,
    defaultExchangeValue: '100',
    methods: [
      { type: 'VISA_MC_1', min: '20', max: '13000' },
      { type: 'APPLE_PAY_1', min: '20', max: '13000' },
      { type: 'GOOGLE_PAY_1', min: '20', max: '13000' },
      { type: 'FASTERPAYMENTS_1', min: '50', max: '85000' },
      { type: 'OPEN_BANKING_1', min: '20', max: '20000' },
      { type: 'REVOLUT_PAY_1', min: '20', max: '8500' },
    ],
  },
  {
    ticker: 'CHF',
    name: 'Swiss Franc',
    numeric: '756',
    decimals: 2,
    isFeatured: false,
    defaultExchangeValue: '100',
    methods: [
      { type: 'VISA_MC_1', min: '20', max: '14000' },
      { type: 'APPLE_PAY_1', min: '20', max: '14000' },
      { type: 'GOOGLE_PAY_1', min: '20', max: '14000' },
      { type: 'SWIFT_1', min: '500', max: '95000' },
    ],
  },
  {
    ticker: 'PLN',
    name: 'Polish Zloty',
    numeric: '985',
    decimals: 2,
    isFeatured: false,
    defaultExchangeValue: '500',
    methods: [
      { type: 'VISA_MC_1', min: '90', max: '64000' },
      { type: 'APPLE_PAY_1', min: '90', max: '64000' },
      { type: 'GOOGLE_PAY_1', min: '90', max: '64000' },
      { type: 'SWIFT_1', min: '2000', max: '420000' },
    ],
  },
  {
    ticker: 'CZK',
    name: 'Czech Koruna',
    numeric: '203',
    decimals: 2,
    isFeatured: false,
    defaultExchangeValue: '2500',
    methods: [
      { type: 'VISA_MC_1', min: '500', max: '370000' },
      { type: 'APPLE_PAY_1', min: '500', max: '370000' },
      { type: 'GOOGLE_PAY_1', min: '500', max: '370000' },
      { type: 'SWIFT_1', min: '12000', max: '2500000' },
    ],
  },
  {
    ticker: 'SEK',
    name: 'Swedish Krona',
    numeric: '752',
    decimals: 2,
    isFeatured: false,
    defaultExchangeValue: '1000',
    methods: [
      { type: 'VISA_MC_1', min: '220', max: '170000' },
      { type: 'APPLE_PAY_1', min: '220', max: '170000' },
      { type: 'GOOGLE_PAY_1', min: '220', max: '170000' },
      { type: 'SWIFT_1', min: '5500', max: '1100000' },
    ],
  },
  {
    ticker: 'NOK',
    name: 'Norwegian Krone',
    numeric: '578',
    decimals: 2,
    isFeatured: false,
    defaultExchangeValue: '1000',
    methods: [
      { type: 'VISA_MC_1', min: '230', max: '170000' },
      { type: 'APPLE_PAY_1', min: '230', max: '170000' },
      { type: 'GOOGLE_PAY_1', min: '230', max: '170000' },
      { type: 'SWIFT_1', min: '6000', max: '1100000' },
    ],
  },
  {
    ticker: 'DKK',
    name: 'Danish Krone',
    numeric: '208',
    decimals: 2,
    isFeatured: false,
    defaultExchangeValue: '1000',
    methods: [
      { type: 'VISA_MC_1', min: '150', max: '110000' },
      { type: 'APPLE_PAY_1', min: '150', max: '110000' },
      { type: 'GOOGLE_PAY_1', min: '150', max: '110000' },
      { type: 'SWIFT_1', min: '3700', max: '740000' },
    ],
  },
  {
    ticker: 'HUF',
    name: 'Hungarian Forint',
    numeric: '348',
    decimals: 2,
    isFeatured: false,
    defaultExchangeValue: '40000',
    methods: [
      { type: 'VISA_MC_1', min: '8000', max: '6000000' },
      { type: 'SWIFT_1', min: '200000', max: '40000000' },
    ],
  },
  {
    ticker: 'RON',
    name: 'Romanian Leu',
    numeric: '946',
    decimals: 2,
    isFeatured: false,
    defaultExchangeValue: '500',
    methods: [
      { type: 'VISA_MC_1', min: '100', max: '74000' },
      { type: 'SWIFT_1', min: '2500', max: '490000' },
    ],
  },
  {
    ticker: 'ISK',
    name: 'Icelandic Krona',
    numeric: '352',
    decimals: 0,
    isFeatured: false,
    defaultExchangeValue: '15000',
    methods: [
      { type: 'VISA_MC_1', min: '3000', max: '2100000' },
      { type: 'SWIFT_1', min: '72000', max: '14000000' },
    ],
  },
  {
    ticker: 'TRY',
    name: 'Turkish Lira',
    numeric: '949',
    decimals: 2,
    isFeatured: false,
    defaultExchangeValue: '4000',
    methods: [
      { type: 'VISA_MC_1', min: '800', max: '550000' },
      { type: 'SWIFT_1', min: '18000', max: '3600000' },
    ],
  },
  {
    ticker: 'CAD',
    name: 'Canadian Dollar',
    numeric: '124',
    decimals: 2,
    isFeatured: false,
    defaultExchangeValue: '150',
    methods: [
      { type: 'VISA_MC_1', min: '30', max: '22000' },
      { type: 'APPLE_PAY_1', min: '30', max: '22000' },
      { type: 'GOOGLE_PAY_1', min: '30', max: '22000' },
      { type: 'SWIFT_1', min: '750', max: '140000' },
    ],
  },
  {
    ticker: 'AUD',
    name: 'Australian Dollar',
    numeric: '036',
    decimals: 2,
    isFeatured: false,
    defaultExchangeValue: '150',
    methods: [
      { type: 'VISA_MC_1', min: '35', max: '25000' },
      { type: 'APPLE_PAY_1', min: '35', max: '25000' },
      { type: 'GOOGLE_PAY_1', min: '35', max: '25000' },
      { type: 'SWIFT_1', min: '800', max: '160000' },
    ],
  },
  {
    ticker: 'NZD',
    name: 'New Zealand Dollar',
    numeric: '554',
    decimals: 2,
    isFeatured: false,
    defaultExchangeValue: '200',
    methods: [
      { type: 'VISA_MC_1', min: '40', max: '27000' },
      { type: 'APPLE_PAY_1', min: '40', max: '27000' },
      { type: 'GOOGLE_PAY_1', min: '40', max: '27000' },
      { type: 'SWIFT_1', min: '900', max: '180000' },
    ],
  },
  {
    ticker: 'JPY',
    name: 'Japanese Yen',
    numeric: '392',
    decimals: 0,
    isFeatured: false,
    defaultExchangeValue: '15000',
    methods: [
      { type: 'VISA_MC_1', min: '3200', max: '2400000' },
      { type: 'APPLE_PAY_1', min: '3200', max: '2400000' },
      { type: 'GOOGLE_PAY_1', min: '3200', max: '2400000' },
      { type: 'SWIFT_1', min: '80000', max: '16000000' },
    ],
  },
  {
    ticker: 'KRW',
    name: 'South Korean Won',
    numeric: '410',
    decimals: 0,
    isFeatured: false,
    defaultExchangeValue: '150000',
    methods: [
      { type: 'VISA_MC_1', min: '30000', max: '22000000' },
      { type: 'SWIFT_1', min: '750000', max: '150000000' },
    ],
  },
  {
    ticker: 'SGD',
    name: 'Singapore Dollar',
    numeric: '702',
    decimals: 2,
    isFeatured: false,
    defaultExchangeValue: '150',
    methods: [
      { type: 'VISA_MC_1', min: '30', max: '21000' },
      { type: 'APPLE_PAY_1', min: '30', max: '21000' },
      { type: 'GOOGLE_PAY_1', min: '30', max: '21000' },
      { type: 'SWIFT_1', min: '700', max: '140000' },
    ],
  },
  {
    ticker: 'HKD',
    name: 'Hong Kong Dollar',
    numeric: '344',
    decimals: 2,
    isFeatured: false,
    defaultExchangeValue: '800',
    methods: [
      { type: 'VISA_MC_1', min: '160', max: '120000' },
      { type: 'APPLE_PAY_1', min: '160', max: '120000' },
      { type: 'GOOGLE_PAY_1', min: '160', max: '120000' },
      { type: 'SWIFT_1', min: '4000', max: '800000' },
    ],
  },
  {
    ticker: 'THB',
    name: 'Thai Baht',
    numeric: '764',
    decimals: 2,
    isFeatured: false,
    defaultExchangeValue: '3500',
    methods: [
      { type: 'VISA_MC_1', min: '700', max: '530000' },
      { type: 'SWIFT_1', min: '18000', max: '3500000' },
    ],
  },
  {
    ticker: 'INR',
    name: 'Indian Rupee',
    numeric: '356',
    decimals: 2,
    isFeatured: false,
    defaultExchangeValue: '10000',
    methods: [
      { type: 'VISA_MC_1', min: '1800', max: '1300000' },
      { type: 'SWIFT_1', min: '45000', max: '8800000' },
    ],
  },
  {
    ticker: 'ILS',
    name: 'Israeli New Shekel',
    numeric: '376',
    decimals: 2,
    isFeatured: false,
    defaultExchangeValue: '400',
    methods: [
      { type: 'VISA_MC_1', min: '80', max: '56000' },
      { type: 'SWIFT_1', min: '1900', max: '370000' },
    ],
  },
  {
    ticker: 'AED',
    name: 'UAE Dirham',
    numeric: '784',
    decimals: 2,
    isFeatured: false,
    defaultExchangeValue: '400',
    methods: [
      { type: 'VISA_MC_1', min: '80', max: '57000' },
      { type: 'APPLE_PAY_1', min: '80', max: '57000' },
      { type: 'GOOGLE_PAY_1', min: '80', max: '57000' },
      { type: 'SWIFT_1', min: '1900', max: '380000' },
    ],
  },
  {
    ticker: 'BHD',
    name: 'Bahraini Dinar',
    numeric: '048',
    decimals: 3,
    isFeatured: false,
    defaultExchangeValue: '40',
    methods: [
      { type: 'VISA_MC_1', min: '8', max: '5800' },
      { type: 'SWIFT_1', min: '200', max: '39000' },
    ],
  },
  {
    ticker: 'KWD',
    name: 'Kuwaiti Dinar',
    numeric: '414',
    decimals: 3,
    isFeatured: false,
    defaultExchangeValue: '35',
    methods: [
      { type: 'VISA_MC_1', min: '7', max: '4800' },
      { type: 'SWIFT_1', min: '160', max: '32000' },
    ],
  },
  {
    ticker: 'JOD',
    name: 'Jordanian Dinar',
    numeric: '400',
    decimals: 3,
    isFeatured: false,
    defaultExchangeValue: '75',
    methods: [
      { type: 'VISA_MC_1', min: '15', max: '11000' },
      { type: 'SWIFT_1', min: '370', max: '73000' },
    ],
  },
  {
    ticker: 'ZAR',
    name: 'South African Rand',
    numeric: '710',
    decimals: 2,
    isFeatured: false,
    defaultExchangeValue: '2000',
    methods: [
      { type: 'VISA_MC_1', min: '400', max: '290000' },
      { type: 'SWIFT_1', min: '10000', max: '1900000' },
    ],
  },
  {
    ticker: 'BRL',
    name: 'Brazilian Real',
    numeric: '986',
    decimals: 2,
    isFeatured: false,
    defaultExchangeValue: '600',
    methods: [
      { type: 'VISA_MC_1', min: '130', max: '96000' },
      { type: 'APPLE_PAY_1', min: '130', max: '96000' },
      { type: 'GOOGLE_PAY_1', min: '130', max: '96000' },
      { type: 'PIX_1', min: '130', max: '320000' },
    ],
  },
  {
    ticker: 'MXN',
    name: 'Mexican Peso',
    numeric: '484',
    decimals: 2,
    isFeatured: false,
    defaultExchangeValue: '2000',
    methods: [
      { type: 'VISA_MC_1', min: '430', max: '320000' },
      { type: 'APPLE_PAY_1', min: '430', max: '320000' },
      { type: 'GOOGLE_PAY_1', min: '430', max: '320000' },
      { type: 'SPEI_1', min: '430', max: '1000000' },
    ],
  },
  {
    ticker: 'COP',
    name: 'Colombian Peso',
    numeric: '170',
    decimals: 2,
    isFeatured: false,
    defaultExchangeValue: '450000',
    methods: [
      { type: 'VISA_MC_1', min: '92000', max: '68000000' },
      { type: 'PSE_1', min: '92000', max: '45000000' },
      { type: 'SWIFT_1', min: '2300000', max: '450000000' },
    ],
  },
  {
    ticker: 'CLP',
    name: 'Chilean Peso',
    numeric: '152',
    decimals: 0,
    isFeatured: false,
    defaultExchangeValue: '100000',
    methods: [
      { type: 'VISA_MC_1', min: '21000', max: '15000000' },
      { type: 'SWIFT_1', min: '520000', max: '100000000' },
    ],
  },
]

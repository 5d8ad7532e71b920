const least = 100_000_000n
/** Memos with a check digit that are written with ten digits and fit 32 bits, as the tags of the XRP Ledger must. */
const memos = (2n ** 32n - 1n) / 10n - least
/** Spreads neighboring ids; a prime, and so without a factor in common with the number of memos. */
const stride = 179_424_673n

/** The quasigroup of order ten of H. Michael Damm, "Total anti-symmetrische Quasigruppen", 2004, page 106. */
const damm = [
  '0317598642',
  '7092154863',
  '4206871359',
  '1750983426',
  '6123045978',
  '3674209581',
  '5869720134',
  '8945362017',
  '9438617205',
  '2581436790',
]

/**
 * The memo of an id: ten digits, another one for every id below some 329 million. The last is a check digit that finds every
 * single wrong digit and every two neighbors that have changed places, so no such slip leads to another customer's money.
 */
export function memoOf(id: bigint): string {
  const body = String(least + ((id * stride) % memos))
  return `${body}${checkDigit(body)}`
}

const checkDigit = (digits: string): string =>
  [...digits].reduce((row, digit) => damm[Number.parseInt(row, 10)]?.charAt(Number.parseInt(digit, 10)) ?? '', '0')

const weights = [3, 7, 1]

/**
 * The last digit of a CLABE from the 17 before it: three digits of the bank, three of the place, eleven of the account
 * (Asociación de Bancos de México; the algorithm is published by Banco de México for SPEI).
 */
export function clabeCheckDigit(first17: string): string {
  const sum = [...first17].reduce(
    (total, digit, at) => total + ((Number.parseInt(digit, 10) * (weights[at % 3] ?? 0)) % 10),
    0,
  )
  return String((10 - (sum % 10)) % 10)
}

/** Whether 18 digits are a CLABE. All zeros are not, although the check digit is valid. */
export const isClabe = (text: string): boolean =>
  /^\d{18}$/.test(text) && /[1-9]/.test(text) && clabeCheckDigit(text.slice(0, 17)) === text[17]

import assert from 'node:assert/strict'

import { formatAmount } from '../../platform/money/amount.ts'
import { checkPixKey } from './pix-key.ts'

/** A Pix payment to ask for. `amount` in centavos; null: the payer types it. `txid` is our reference; it may be empty. */
export type PixRequest = { key: string; holder: string; city: string; amount: bigint | null; txid: string }

/**
 * The text of a static Pix code ("Pix copia e cola" and its QR code): fields of EMV's merchant-presented form, with the
 * check sum last. Banco Central do Brasil, "Manual de Padrões para Iniciação do Pix" and "Manual do BR Code". Holder and
 * city lose their accents and what is beyond 25 and 15 characters. Whatever else can not be written so is a fault.
 */
export function pixCode({ key, holder, city, amount, txid }: PixRequest): string {
  const check = checkPixKey(key)
  assert(check.ok && check.key === key, 'the key is a Pix key as the directory spells it')
  assert(amount === null || (amount > 0n && amount < 10n ** 12n), 'the amount has up to 13 characters')
  assert(/^[A-Za-z0-9]{0,25}$/.test(txid), 'the txid has up to 25 letters and digits')
  const [name, place] = [plain(holder, 25), plain(city, 15)]
  assert(name !== '' && place !== '', 'holder and city are not empty')

  const code = [
    field('00', '01'),
    field('26', field('00', 'br.gov.bcb.pix') + field('01', key)),
    field('52', '0000'),
    field('53', '986'),
    amount === null ? '' : field('54', formatAmount(amount, { decimals: 2 })),
    field('58', 'BR'),
    field('59', name),
    field('60', place),
    field('62', field('05', txid || '***')),
    '6304',
  ].join('')
  return code + checkSum(code)
}

/** Number, length in two digits, value. */
function field(number: string, value: string): string {
  assert(value.length <= 99, `field ${number} has at most 99 characters`)
  return number + String(value.length).padStart(2, '0') + value
}

/** The code is ASCII: `São Paulo` is written `Sao Paulo`. */
const plain = (text: string, length: number): string =>
  text
    .normalize('NFD')
    .replace(/[^\x20-\x7e]/g, '')
    .trim()
    .slice(0, length)
    .trimEnd()

/** CRC-16 with polynomial 0x1021 from 0xFFFF on, four hexadecimal digits. */
function checkSum(text: string): string {
  let sum = 0xffff
  for (const byte of Buffer.from(text)) {
    sum ^= byte << 8
    for (let bit = 0; bit < 8; bit += 1) sum = ((sum << 1) ^ (sum & 0x8000 ? 0x1021 : 0)) & 0xffff
  }
  return sum.toString(16).toUpperCase().padStart(4, '0')
}

import { findReference } from '../../../reference/bank/creditor-reference.ts'
import { type Asset, parseAmount } from '../../../platform/money/amount.ts'
import { Refusal } from '../../../platform/lib/refusal.ts'
import { accountOf, type Bank, type OwnAccount } from '../bank.ts'
import { FileFault } from '../file-fault.ts'
import type { StatedAmount, StatedCharge, Statement, StatementEntry, StatementPayment } from './statement.ts'

/** A statement whose sums add up, with its bookings in the account's asset. */
export type CheckedStatement = {
  account: OwnAccount
  kind: Statement['kind']
  id: string
  number: bigint | undefined
  page: number
  /** Of the booked balance, of camt.053 only. */
  balance: { opening: bigint; closing: bigint; on: string } | undefined
  bookings: StatedBooking[]
}

/** A payment that a statement reports. Empty texts are absent. */
export type StatedBooking = {
  direction: 'in' | 'out'
  amount: bigint
  isPending: boolean
  /** It reverses or returns an earlier payment. */
  isReturn: boolean
  isCharge: boolean
  /** Our reference, where it is in what the payer wrote. */
  reference: string
  endToEndId: string
  servicerReference: string
  /** The bank's reference of the entry, and what the whole entry is, where several payments are in it. */
  entryReference: string
  entryAmount: bigint
  /** Several payments in one entry that does not list them. */
  isLump: boolean
  messageId: string
  paymentInformationId: string
  returnReason: string
  bookedOn: string
  payer: StatementPayment['payer']
}

/** Codes of ISO 20022 for payments that come back, and for what the bank takes for its work. */
const returnCodes: ReadonlySet<string> = new Set(['RRTN', 'RRCT', 'RPCR', 'UPCT'])
const chargeCodes: ReadonlySet<string> = new Set(['CHRG', 'COME', 'COMI', 'COMT', 'FEES'])

/**
 * Reads a statement's amounts, and refuses it as a whole where they do not add up: an entry and its payments; the totals and the
 * entries; the opening balance, the entries and the closing balance of a day that is over.
 */
export function interpret(bank: Pick<Bank, 'accounts'>, statement: Statement): CheckedStatement {
  const currency =
    statement.account.currency || statement.entries[0]?.amount.currency || statement.balances[0]?.amount.currency || ''
  const account = accountOf(bank, statement.account.id, currency)
  if (!account) throw new FileFault('A statement is about an account that is not in the configuration.')
  const { asset } = account
  for (const entry of statement.entries) signed(asset, entry.amount, entry.isDebit)
  checkTotals(asset, statement)
  return {
    account,
    kind: statement.kind,
    id: statement.id.slice(0, 100),
    number: statement.number,
    page: statement.page,
    balance: statement.kind === 'camt.053' ? checkBalance(asset, statement) : undefined,
    bookings: statement.entries.flatMap((entry) => bookingsOf(asset, entry)),
  }
}

function signed(asset: Asset, amount: StatedAmount, isDebit: boolean): bigint {
  const units = unitsOf(asset, amount)
  return isDebit ? -units : units
}

function unitsOf(asset: Asset, { text, currency }: StatedAmount): bigint {
  if (currency !== '' && currency !== asset.ticker)
    throw new FileFault('An amount is in another currency than its account.')
  try {
    return parseAmount(text, asset)
  } catch (error) {
    if (error instanceof Refusal) throw new FileFault('An amount cannot be read, or is finer than its currency.')
    throw error
  }
}

function checkTotals(asset: Asset, { totals, entries }: Statement): void {
  const booked = entries.filter(({ status }) => status === 'BOOK')
  for (const { which, count, sum } of totals) {
    const matches = [entries, booked].some((all) => {
      const own = all.filter(({ isDebit }) => which === 'all' || isDebit === (which === 'debits'))
      const isCount = count === '' || count === String(own.length)
      const total = own.reduce((whole, { amount }) => whole + unitsOf(asset, amount), 0n)
      return isCount && (sum === '' || total === unitsOf(asset, { text: sum, currency: '' }))
    })
    if (!matches) throw new FileFault('The totals of a statement are not those of its entries.')
  }
}

function checkBalance(asset: Asset, { balances, entries }: Statement): CheckedStatement['balance'] {
  const ofType = (type: string) => balances.filter((one) => one.type === type)
  const interim = ofType('ITBD')
  const opening = ofType('OPBD')[0] ?? ofType('PRCD')[0] ?? interim[0]
  const closing = ofType('CLBD')[0] ?? interim.at(-1)
  if (!opening || !closing || opening === closing)
    throw new FileFault('A statement lacks its opening or closing booked balance.')
  const before = signed(asset, opening.amount, opening.isDebit)
  const after = signed(asset, closing.amount, closing.isDebit)
  const booked = entries.filter(({ status }) => status === 'BOOK')
  const moved = booked.reduce((sum, { amount, isDebit }) => sum + signed(asset, amount, isDebit), 0n)
  if (before + moved !== after)
    throw new FileFault('The opening balance and the entries of a statement do not add up to its closing balance.')
  if (!/^\d{4}-\d\d-\d\d$/.test(closing.on)) throw new FileFault('The closing balance of a statement has no date.')
  return { opening: before, closing: after, on: closing.on }
}

function bookingsOf(asset: Asset, entry: StatementEntry): StatedBooking[] {
  const { status, payments } = entry
  const whole = signed(asset, entry.amount, entry.isDebit)
  if ((status !== 'BOOK' && status !== 'PDNG') || whole === 0n) return []
  // Payments whose amounts are not known in the account's currency cannot be booked one by one.
  if (payments.length < 2 || payments.some(({ amount }) => amount?.currency !== asset.ticker))
    return singleBooking(asset, entry, whole)

  const amounts = payments.map(({ amount, isDebit }) => signed(asset, amount ?? entry.amount, isDebit ?? entry.isDebit))
  const charges = chargesIn(
    asset,
    entry,
    whole,
    amounts.reduce((sum, one) => sum + one, 0n),
  )
  const bookings = payments.map((payment, index) => bookingOf(entry, payment, { amount: amounts[index] ?? 0n, whole }))
  return [...bookings.filter(({ amount }) => amount > 0n), ...chargeBooking(entry, charges, whole)]
}

function singleBooking(asset: Asset, entry: StatementEntry, whole: bigint): StatedBooking[] {
  const [payment, ...others] = entry.payments
  const count = Number.parseInt(entry.batch.count, 10) || 1
  if (!payment || others.length > 0 || count > 1) {
    const lump = bookingOf(entry, emptyPayment, { amount: whole, whole })
    return [{ ...lump, isLump: count > 1 || others.length > 0 }]
  }
  const stated = payment.amount?.currency === asset.ticker ? payment.amount : undefined
  // A zero is what banks write where they do not know the amount of the payment.
  const amount = stated && signed(asset, stated, payment.isDebit ?? entry.isDebit)
  if (amount === undefined || amount === 0n) return [bookingOf(entry, payment, { amount: whole, whole })]
  const charges = chargesIn(asset, entry, whole, amount)
  return [bookingOf(entry, payment, { amount, whole }), ...chargeBooking(entry, charges, whole)]
}

const emptyPayment: StatementPayment = {
  amount: undefined,
  isDebit: undefined,
  endToEndId: '',
  servicerReference: '',
  messageId: '',
  paymentInformationId: '',
  remittance: [],
  code: '',
  returnReason: '',
  isReturn: false,
  charges: [],
  payer: { name: '', account: '', bic: '' },
}

/** What the bank kept of an entry for itself: the difference to its payments, which must be the charges that it states. */
function chargesIn(asset: Asset, entry: StatementEntry, whole: bigint, payments: bigint): bigint {
  const difference = payments - whole
  if (difference === 0n) return 0n
  const own = entry.charges.length > 0 ? entry.charges : entry.payments.flatMap(({ charges }) => charges)
  const stated = own.reduce((sum, one) => sum + chargeOf(asset, one), 0n)
  if (difference !== stated || difference < 0n)
    throw new FileFault('The payments of an entry do not add up to its amount.')
  return difference
}

function chargeOf(asset: Asset, { amount, isCredit }: StatedCharge): bigint {
  if (amount.currency !== asset.ticker) return 0n
  return signed(asset, amount, isCredit)
}

function chargeBooking(entry: StatementEntry, amount: bigint, whole: bigint): StatedBooking[] {
  if (amount === 0n) return []
  const booking = bookingOf(entry, emptyPayment, { amount: -amount, whole })
  return [{ ...booking, isCharge: true, isReturn: false, reference: '', endToEndId: '', servicerReference: '' }]
}

function bookingOf(
  entry: StatementEntry,
  payment: StatementPayment,
  { amount, whole }: { amount: bigint; whole: bigint },
): StatedBooking {
  const isOnly = entry.payments.length < 2
  const codes = [entry.code, payment.code]
  const texts = [...payment.remittance, payment.endToEndId, ...(isOnly ? [entry.information] : [])]
  return {
    direction: amount < 0n ? 'out' : 'in',
    amount: amount < 0n ? -amount : amount,
    isPending: entry.status === 'PDNG',
    isReturn: entry.isReversal || payment.isReturn || codes.some((code) => returnCodes.has(code)),
    isCharge: amount < 0n && codes.some((code) => chargeCodes.has(code)),
    reference: referenceIn(texts),
    endToEndId: payment.endToEndId,
    servicerReference: isOnly
      ? entry.servicerReference || payment.servicerReference
      : distinctReference(entry, payment),
    entryReference: entry.servicerReference,
    entryAmount: whole < 0n ? -whole : whole,
    isLump: false,
    messageId: payment.messageId || entry.batch.messageId,
    paymentInformationId: payment.paymentInformationId || entry.batch.paymentInformationId,
    returnReason: payment.returnReason,
    bookedOn: /^\d{4}-\d\d-\d\d$/.test(entry.bookedOn) ? entry.bookedOn : '',
    payer: payment.payer,
  }
}

/** Our reference in one of the texts, or in all of them together; empty where two different ones are meant. */
function referenceIn(texts: string[]): string {
  const found = new Set(texts.flatMap((text) => findReference(text) ?? []))
  if (found.size > 1) return ''
  return [...found][0] ?? findReference(texts.join(' ')) ?? ''
}

/** The bank's reference of one payment among several; not that of the entry, which they share. */
const distinctReference = (entry: StatementEntry, { servicerReference: own }: StatementPayment): string =>
  own === entry.servicerReference || entry.payments.filter((one) => one.servicerReference === own).length > 1 ? '' : own

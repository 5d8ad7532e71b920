import { findReference } from '../../../reference/bank/creditor-reference.ts'
import type { Asset } from '../../../platform/money/amount.ts'
import { accountOf, type Bank, type OwnAccount } from '../bank.ts'
import { FileFault, unlessFaulty } from '../file-fault.ts'
import { movedBy, signed } from './amounts.ts'
import { chargesIn, includedIn } from './charges.ts'
import { checkBalance, checkTotals, type CheckedBalance } from './check-sums.ts'
import { emptyEntry, type Statement, type StatementEntry, type StatementPayment } from './statement.ts'

/** A statement whose sums add up, with its bookings in the account's asset. */
export type CheckedStatement = {
  account: OwnAccount
  kind: Statement['kind']
  id: string
  number: bigint | undefined
  page: number
  isLastPage: boolean
  period: string
  /** How many entries it has. */
  entries: number
  /** Of the booked balance, of camt.053 only. */
  balance: CheckedBalance | undefined
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
  /** What the account moved by for it, with the charge that the bank states within its entry; `amount` where it is one of several. */
  net: bigint
  /** For a charge that the bank kept of an entry: the first payment of it. */
  keptOf: StatedBooking | undefined
  /** Several payments in one entry that does not list them. */
  isLump: boolean
  /** What people and the bank wrote, all of it. */
  text: string
  /** It states what the payer wrote, wholly or in part; a text of the bank's own is not that. */
  hasRemittance: boolean
  messageId: string
  paymentInformationId: string
  returnReason: string
  bookedOn: string
  valueOn: string
  payer: StatementPayment['payer']
}

/** Codes of ISO 20022 for payments that come back, and for what the bank takes for its work. */
const returnCodes: ReadonlySet<string> = new Set(['RRTN', 'RRCT', 'RPCR', 'UPCT'])
const chargeCodes: ReadonlySet<string> = new Set(['CHRG', 'COME', 'COMI', 'COMT', 'FEES'])

/** `isLenient`: a person has accepted that what cannot be read is left out, and what does not add up is kept. `file`: its name. */
export type Interpreting = { isLenient?: boolean; file?: string }

/** The account of ours that a statement is about; undefined where it is not in the configuration. */
export function accountIn(
  bank: Pick<Bank, 'accounts'>,
  { account, entries, balances }: Statement,
): OwnAccount | undefined {
  const currency = account.currency || entries[0]?.amount.currency || balances[0]?.amount.currency || ''
  return accountOf(bank, account.id, currency)
}

/**
 * Reads a statement's amounts, and refuses it as a whole where money is at stake: where the opening balance, the entries and the
 * closing balance of a day that is over do not add up, or the totals and the entries of a notification. An entry whose payments do
 * not add up is one booking.
 */
export function interpret(
  account: OwnAccount,
  statement: Statement,
  { isLenient = false, file = '' }: Interpreting = {},
): CheckedStatement {
  const { asset } = account
  const entries = isLenient ? statement.entries.filter((one) => isReadable(asset, one)) : statement.entries
  for (const entry of entries) wholeOf(asset, entry)
  if (statement.kind !== 'camt.053' && !isLenient) checkTotals(asset, statement)
  const balance = statement.kind === 'camt.053' ? checkBalance(asset, { ...statement, entries }, isLenient) : undefined
  return {
    account,
    kind: statement.kind,
    id: statement.id.slice(0, 100),
    number: statement.number,
    page: statement.page,
    isLastPage: statement.isLastPage,
    period: statement.period,
    entries: statement.entries.length,
    balance,
    bookings: [
      ...entries.flatMap((entry) => bookingsOf(asset, entry)),
      ...restOf(asset, { ...statement, entries, file, balance }),
    ],
  }
}

/** What a statement that a person has accepted does not explain of its closing balance: one booking without an owner. */
function restOf(
  asset: Asset,
  {
    balance,
    entries,
    ...statement
  }: Pick<Statement, 'entries' | 'number'> & { file: string; balance: CheckedStatement['balance'] },
): StatedBooking[] {
  if (!balance) return []
  const rest = balance.closing - balance.opening - movedBy(asset, entries)
  if (rest === 0n) return []
  const text = `${nameOfStatement({ ...statement, on: balance.on })}: this much of its closing balance is in no entry.`
  return [lumpOf(rest, { on: balance.on, text })]
}

/** How a person knows a statement. */
export const nameOfStatement = ({
  number,
  on,
  file,
}: {
  number: bigint | null | undefined
  on: string
  file: string
}): string => `Statement ${number ?? `of ${on}`}, file ${file}`

/** One amount that stands for what nobody knows, below zero for what left. */
export const lumpOf = (amount: bigint, { on, text }: { on: string; text: string }): StatedBooking => ({
  ...bookingOf({ ...emptyEntry, bookedOn: on, valueOn: on }, emptyPayment, { amount, whole: amount }),
  isLump: true,
  text,
})

const isReadable = (asset: Asset, entry: StatementEntry): boolean =>
  unlessFaulty(() => wholeOf(asset, entry)) !== undefined

function wholeOf(asset: Asset, { amount, isDebit, fault }: StatementEntry): bigint {
  if (fault !== '') throw new FileFault(fault)
  return signed(asset, amount, isDebit)
}

/** What an entry consists of. What is odd about its payments or charges costs its split, not the day. */
function bookingsOf(asset: Asset, entry: StatementEntry): StatedBooking[] {
  const { status, payments } = entry
  const whole = wholeOf(asset, entry)
  if ((status !== 'BOOK' && status !== 'PDNG') || whole === 0n) return []
  const bookings = unlessFaulty(() => splitOf(asset, entry, whole))
  if (bookings) return bookings
  const [first = emptyPayment, ...others] = payments
  // Who paid, and what, is kept for the person who books it.
  const lump = bookingOf(entry, others.length === 0 ? first : emptyPayment, { amount: whole, whole })
  return [{ ...lump, isLump: others.length > 0, reference: '', hasRemittance: false }]
}

function splitOf(asset: Asset, entry: StatementEntry, whole: bigint): StatedBooking[] {
  const { payments } = entry
  // Payments whose amounts are not known in the account's currency cannot be booked one by one.
  if (payments.length < 2 || payments.some(({ amount }) => amount?.currency !== asset.ticker))
    return singleBooking(asset, entry, whole)

  const amounts = payments.map(({ amount, isDebit }) => signed(asset, amount ?? entry.amount, isDebit ?? entry.isDebit))
  const total = amounts.reduce((sum, one) => sum + one, 0n)
  const charges = chargesIn(asset, entry, whole, total)
  if (charges === undefined) return [{ ...bookingOf(entry, emptyPayment, { amount: whole, whole }), isLump: true }]
  const all = payments.map((payment, index) => bookingOf(entry, payment, { amount: amounts[index] ?? 0n, whole }))
  const bookings = all.filter(({ amount }) => amount !== 0n)
  return [...bookings, ...keptOf(bookings[0], charges)]
}

function singleBooking(asset: Asset, entry: StatementEntry, whole: bigint): StatedBooking[] {
  const [payment, ...others] = entry.payments
  const count = Number.parseInt(entry.batch.count, 10) || 1
  if (!payment || others.length > 0 || count > 1) {
    const lump = bookingOf(entry, emptyPayment, { amount: whole, whole })
    return [{ ...lump, isLump: count > 1 || others.length > 0 }]
  }
  const stated = payment.amount?.currency === asset.ticker ? payment.amount : undefined
  const amount = stated && signed(asset, stated, payment.isDebit ?? entry.isDebit)
  // A zero is what banks write where they do not know the amount of the payment.
  if (amount === undefined || amount === 0n) {
    const kept = whole > 0n ? includedIn(asset, entry) : 0n
    return withCharge(bookingOf(entry, payment, { amount: whole + kept, whole }), kept)
  }
  const charges = chargesIn(asset, entry, whole, amount)
  if (charges === undefined) {
    // Less came than the payer sent, and the bank does not say why: what came counts. More than that goes to suspense.
    const isShort = amount > 0n && whole > 0n && whole < amount
    const single = bookingOf(entry, payment, { amount: whole, whole })
    return [isShort ? single : { ...single, reference: '' }]
  }
  return withCharge(bookingOf(entry, payment, { amount, whole }), charges)
}

/** The only payment of an entry, and what the bank kept of it. */
function withCharge(payment: StatedBooking, kept: bigint): StatedBooking[] {
  const net = payment.direction === 'in' ? payment.amount - kept : payment.amount + kept
  const paid = net > 0n ? { ...payment, net } : payment
  return [paid, ...keptOf(paid, kept)]
}

const emptyPayment: StatementPayment = {
  amount: undefined,
  isDebit: undefined,
  endToEndId: '',
  servicerReference: '',
  messageId: '',
  paymentInformationId: '',
  remittance: [],
  information: '',
  code: '',
  returnReason: '',
  isReturn: false,
  charges: [],
  totalCharges: undefined,
  payer: { name: '', account: '', bic: '', onBehalfOf: '' },
}

/** The charge that the bank kept of an entry. It names no person. */
export const chargeKept = (of: StatedBooking, amount: bigint): StatedBooking => ({
  ...of,
  direction: 'out',
  amount,
  net: amount,
  keptOf: of,
  isCharge: true,
  isReturn: false,
  reference: '',
  endToEndId: '',
  servicerReference: '',
  text: '',
  hasRemittance: false,
  returnReason: '',
  payer: emptyPayment.payer,
})

const keptOf = (of: StatedBooking | undefined, amount: bigint): StatedBooking[] =>
  of === undefined || amount === 0n ? [] : [chargeKept(of, amount)]

function bookingOf(
  entry: StatementEntry,
  payment: StatementPayment,
  { amount, whole }: { amount: bigint; whole: bigint },
): StatedBooking {
  const isOnly = entry.payments.length < 2
  const codes = [entry.code, payment.code]
  const ofBank = [payment.information, ...(isOnly ? [entry.information] : [])]
  const written = [...payment.remittance, ...ofBank].filter((text) => text !== '')
  const texts = [...written, payment.endToEndId]
  return {
    direction: amount < 0n ? 'out' : 'in',
    amount: amount < 0n ? -amount : amount,
    isPending: entry.status === 'PDNG',
    isReturn: entry.isReversal || payment.isReturn || codes.some((code) => returnCodes.has(code)),
    isCharge: amount < 0n && codes.some((code) => chargeCodes.has(code)),
    reference: referenceIn(texts),
    endToEndId: payment.endToEndId,
    servicerReference: isOnly
      ? payment.servicerReference || entry.servicerReference
      : distinctReference(entry, payment),
    entryReference: entry.servicerReference || batchReference(entry),
    entryAmount: whole < 0n ? -whole : whole,
    net: amount < 0n ? -amount : amount,
    keptOf: undefined,
    isLump: false,
    text: written.join(' ').slice(0, 1_000),
    hasRemittance: payment.remittance.length > 0,
    messageId: payment.messageId || entry.batch.messageId,
    paymentInformationId: payment.paymentInformationId || entry.batch.paymentInformationId,
    returnReason: payment.returnReason,
    bookedOn: entry.bookedOn,
    valueOn: entry.valueOn,
    payer: payment.payer,
  }
}

/** A name for an entry of several payments that has no reference: what every message says of it. */
const batchReference = ({ payments, batch, amount, valueOn }: StatementEntry): string => {
  const count = payments.length > 1 ? payments.length : Number.parseInt(batch.count, 10) || 1
  return count > 1 ? `${count} ${amount.text} ${valueOn}` : ''
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

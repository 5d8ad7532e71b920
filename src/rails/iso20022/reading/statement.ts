import { FileFault } from '../file-fault.ts'
import { all, first, textAt, type XmlNode } from './xml.ts'

/** An amount as the bank writes it. */
export type StatedAmount = { text: string; currency: string }

/** Which message a statement is: of a day that is over, of the day so far, or a notification. */
export type StatementKind = 'camt.052' | 'camt.053' | 'camt.054'

/** A statement, report or notification about one account. Empty texts are absent. */
export type Statement = {
  kind: StatementKind
  id: string
  /** The electronic sequence number, else the legal one: it counts statements without gaps. */
  number: bigint | undefined
  page: number
  isLastPage: boolean
  createdAt: string
  /** What it covers, as the bank writes it: a statement without a number is known by it. */
  period: string
  account: { id: string; currency: string }
  balances: { type: string; amount: StatedAmount; isDebit: boolean; on: string }[]
  totals: { which: 'all' | 'credits' | 'debits'; count: string; sum: string }[]
  entries: StatementEntry[]
}

/** One booking on the account, which may stand for several payments. */
export type StatementEntry = {
  amount: StatedAmount
  isDebit: boolean
  isReversal: boolean
  /** `BOOK`, `PDNG`, `INFO`, `FUTR`. */
  status: string
  bookedOn: string
  valueOn: string
  servicerReference: string
  /** The last part of the bank transaction code: `RRTN`, `CHRG`. */
  code: string
  charges: StatedCharge[]
  /** All charges and taxes of the entry in one amount, as some banks write it. */
  totalCharges: StatedAmount | undefined
  /** The payment file that a batch booking is about, as far as the bank names it. */
  batch: { messageId: string; paymentInformationId: string; count: string }
  information: string
  payments: StatementPayment[]
  /** Why the entry cannot be read; empty where it can. */
  fault: string
}

export const emptyEntry: StatementEntry = {
  amount: { text: '0', currency: '' },
  isDebit: false,
  isReversal: false,
  status: 'BOOK',
  bookedOn: '',
  valueOn: '',
  servicerReference: '',
  code: '',
  charges: [],
  totalCharges: undefined,
  batch: { messageId: '', paymentInformationId: '', count: '' },
  information: '',
  payments: [],
  fault: '',
}

/** One payment of an entry. */
export type StatementPayment = {
  amount: StatedAmount | undefined
  isDebit: boolean | undefined
  endToEndId: string
  servicerReference: string
  messageId: string
  paymentInformationId: string
  /** What the payer wrote. */
  remittance: string[]
  /** What the bank wrote to it. */
  information: string
  code: string
  /** The reason of a return; empty for anything else. */
  returnReason: string
  isReturn: boolean
  charges: StatedCharge[]
  totalCharges: StatedAmount | undefined
  payer: StatedParty
}

/** Who paid us, or whom we paid. `onBehalfOf`: the ultimate debtor or creditor, where it isn't the name itself. */
export type StatedParty = { name: string; account: string; bic: string; onBehalfOf: string }

/** `tax`: by itself, in the amount or in addition to it: banks differ. */
export type StatedCharge = {
  amount: StatedAmount
  tax: StatedAmount | undefined
  isCredit: boolean
  isIncluded: boolean
}

/** A statement without anything in it, to be filled part by part. */
export const newStatement = (kind: StatementKind): Statement => ({
  kind,
  id: '',
  number: undefined,
  page: 1,
  isLastPage: true,
  createdAt: '',
  period: '',
  account: { id: '', currency: '' },
  balances: [],
  totals: [],
  entries: [],
})

/** Adds one element of the message to a statement. What is not known is left out: banks have additions of their own. */
export function addPart(statement: Statement, node: XmlNode): void {
  switch (node.name) {
    case 'Id':
      statement.id = node.text
      return
    case 'ElctrncSeqNb':
      statement.number = countOf(node.text)
      return
    case 'LglSeqNb':
      statement.number ??= countOf(node.text)
      return
    case 'StmtPgntn':
    case 'RptPgntn':
    case 'NtfctnPgntn':
      statement.page = Number.parseInt(textAt(node, 'PgNb'), 10) || 1
      statement.isLastPage = !['false', '0'].includes(textAt(node, 'LastPgInd'))
      return
    case 'CreDtTm':
      statement.createdAt = node.text
      return
    case 'FrToDt':
      statement.period = `${textAt(node, 'FrDtTm', 'FrDt')}/${textAt(node, 'ToDtTm', 'ToDt')}`.slice(0, 80)
      return
    case 'Acct':
      statement.account = {
        id: textAt(node, 'Id/IBAN', 'Id/Othr/Id').replaceAll(/\s/g, ''),
        currency: textAt(node, 'Ccy'),
      }
      return
    case 'Bal':
      statement.balances.push(balanceOf(node))
      return
    case 'TxsSummry':
      statement.totals.push(...totalsOf(node))
      return
    case 'Ntry':
      statement.entries.push(readEntry(node, statement.kind))
      return
    default:
  }
}

const countOf = (text: string): bigint | undefined => (/^\d{1,18}$/.test(text) ? BigInt(text) : undefined)

/** Debit or credit, which is never guessed. */
function isDebit(node: XmlNode): boolean {
  const side = textAt(node, 'CdtDbtInd')
  if (side !== 'CRDT' && side !== 'DBIT')
    throw new FileFault(`An element ${node.name} is neither a credit nor a debit.`)
  return side === 'DBIT'
}

function amountOf(node: XmlNode | undefined): StatedAmount {
  if (!node || node.text === '') throw new FileFault('An amount is missing.')
  return { text: node.text, currency: node.attributes.Ccy ?? '' }
}

const dateOf = (node: XmlNode | undefined): string => textAt(node, 'Dt', 'DtTm').slice(0, 10)

/** A day of the calendar; empty for anything else. */
const dayOf = (node: XmlNode | undefined): string => {
  const on = dateOf(node)
  return /^\d{4}-\d\d-\d\d$/.test(on) && !Number.isNaN(Date.parse(on)) ? on : ''
}

const balanceOf = (node: XmlNode): Statement['balances'][number] => ({
  type: textAt(node, 'Tp/CdOrPrtry/Cd', 'Tp/CdOrPrtry/Prtry'),
  amount: amountOf(first(node, 'Amt')),
  // A balance without an indicator is a credit balance; an entry's side is never guessed.
  isDebit: textAt(node, 'CdtDbtInd') !== '' && isDebit(node),
  on: dateOf(first(node, 'Dt')),
})

function totalsOf(node: XmlNode): Statement['totals'] {
  const parts = [
    ['all', 'TtlNtries'],
    ['credits', 'TtlCdtNtries'],
    ['debits', 'TtlDbtNtries'],
  ] as const
  return parts.flatMap(([which, name]) => {
    const total = first(node, name)
    return total ? [{ which, count: textAt(total, 'NbOfNtries'), sum: textAt(total, 'Sum') }] : []
  })
}

/** An entry that cannot be read costs its statement, not its file; where a person accepts that, the entry alone. */
function readEntry(node: XmlNode, kind: StatementKind): StatementEntry {
  try {
    return entryOf(node, kind)
  } catch (error) {
    if (error instanceof FileFault) return { ...emptyEntry, fault: error.message }
    throw error
  }
}

function entryOf(node: XmlNode, kind: StatementKind): StatementEntry {
  const batch = first(node, 'NtryDtls/Btch')
  return {
    amount: amountOf(first(node, 'Amt')),
    isDebit: isDebit(node),
    isReversal: ['true', '1'].includes(textAt(node, 'RvslInd')),
    // A statement of a day that is over has booked entries only; elsewhere one without a status is only announced.
    status: textAt(node, 'Sts/Cd', 'Sts') || (kind === 'camt.053' ? 'BOOK' : 'PDNG'),
    bookedOn: dayOf(first(node, 'BookgDt')) || dayOf(first(node, 'ValDt')),
    valueOn: dayOf(first(node, 'ValDt')),
    servicerReference: referenceOf(textAt(node, 'AcctSvcrRef')),
    code: codeOf(node),
    charges: chargesOf(node),
    totalCharges: amountAt(node, 'Chrgs/TtlChrgsAndTaxAmt'),
    batch: {
      messageId: textAt(batch, 'MsgId'),
      paymentInformationId: textAt(batch, 'PmtInfId'),
      count: textAt(batch, 'NbOfTxs'),
    },
    information: textAt(node, 'AddtlNtryInf'),
    payments: all(node, 'NtryDtls/TxDtls').map((one) => paymentOf(one, isDebit(node))),
    fault: '',
  }
}

function paymentOf(node: XmlNode, isEntryDebit: boolean): StatementPayment {
  const side = textAt(node, 'CdtDbtInd')
  const returned = first(node, 'RtrInf')
  const refs = first(node, 'Refs')
  const remittance = first(node, 'RmtInf')
  return {
    amount: amountAt(node, first(node, 'Amt') ? 'Amt' : 'AmtDtls/TxAmt/Amt'),
    isDebit: side === '' ? undefined : side === 'DBIT',
    endToEndId: referenceOf(textAt(refs, 'EndToEndId')),
    servicerReference: referenceOf(textAt(refs, 'AcctSvcrRef')),
    messageId: textAt(refs, 'MsgId'),
    paymentInformationId: textAt(refs, 'PmtInfId'),
    remittance: [
      ...all(remittance, 'Strd/CdtrRefInf/Ref').map(({ text }) => text),
      all(remittance, 'Ustrd')
        .map(({ text }) => text)
        .join(''),
      ...all(remittance, 'Strd/AddtlRmtInf').map(({ text }) => text),
    ].filter((text) => text !== ''),
    information: textAt(node, 'AddtlTxInf'),
    code: codeOf(node),
    returnReason: textAt(returned, 'Rsn/Cd', 'Rsn/Prtry'),
    isReturn: returned !== undefined,
    charges: chargesOf(node),
    totalCharges: amountAt(node, 'Chrgs/TtlChrgsAndTaxAmt'),
    payer: partyOf(node, (side === '' ? isEntryDebit : side === 'DBIT') ? 'Cdtr' : 'Dbtr'),
  }
}

/** The other side of a payment. */
function partyOf(node: XmlNode, role: 'Dbtr' | 'Cdtr'): StatedParty {
  const nameOf = (party: string): string => textAt(node, `RltdPties/${party}/Pty/Nm`, `RltdPties/${party}/Nm`)
  const [own, ultimate] = [nameOf(role), nameOf(`Ultmt${role}`)]
  return {
    name: own || ultimate,
    account: textAt(node, `RltdPties/${role}Acct/Id/IBAN`, `RltdPties/${role}Acct/Id/Othr/Id`),
    bic: textAt(node, `RltdAgts/${role}Agt/FinInstnId/BICFI`, `RltdAgts/${role}Agt/FinInstnId/BIC`),
    onBehalfOf: own === '' ? '' : ultimate,
  }
}

/** A reference that is one: banks fill the field with a constant where they have none. */
const referenceOf = (text: string): string =>
  /^(NONREF|NOTPROVIDED|NOT PROVIDED|NONE|N\/?A|0+|-+)$/i.test(text) ? '' : text

const codeOf = (node: XmlNode): string => textAt(node, 'BkTxCd/Domn/Fmly/SubFmlyCd')

/** Charges of an entry: a record each since version .03 of the messages, the element itself before. */
const chargesOf = (node: XmlNode): StatedCharge[] =>
  all(node, 'Chrgs')
    .flatMap((charges) => {
      const records = all(charges, 'Rcrd')
      return records.length > 0 ? records : [charges]
    })
    .flatMap((charge) => {
      const amount = amountAt(charge, 'Amt')
      const isCredit = textAt(charge, 'CdtDbtInd') === 'CRDT'
      const isIncluded = ['true', '1'].includes(textAt(charge, 'ChrgInclInd'))
      return amount ? [{ amount, tax: amountAt(charge, 'Tax/Amt'), isCredit, isIncluded }] : []
    })

/** An amount that may be absent. */
function amountAt(node: XmlNode, path: string): StatedAmount | undefined {
  const amount = first(node, path)
  return amount && amount.text !== '' ? amountOf(amount) : undefined
}

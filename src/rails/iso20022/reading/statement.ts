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
  createdAt: string
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
  servicerReference: string
  /** The last part of the bank transaction code: `RRTN`, `CHRG`. */
  code: string
  charges: StatedCharge[]
  /** The payment file that a batch booking is about, as far as the bank names it. */
  batch: { messageId: string; paymentInformationId: string; count: string }
  information: string
  payments: StatementPayment[]
}

/** One payment of an entry. */
export type StatementPayment = {
  amount: StatedAmount | undefined
  isDebit: boolean | undefined
  endToEndId: string
  servicerReference: string
  messageId: string
  paymentInformationId: string
  remittance: string[]
  code: string
  /** The reason of a return; empty for anything else. */
  returnReason: string
  isReturn: boolean
  charges: StatedCharge[]
  payer: { name: string; account: string; bic: string }
}

export type StatedCharge = { amount: StatedAmount; isCredit: boolean; isIncluded: boolean }

/** A statement without anything in it, to be filled part by part. */
export const newStatement = (kind: StatementKind): Statement => ({
  kind,
  id: '',
  number: undefined,
  page: 1,
  createdAt: '',
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
      return
    case 'CreDtTm':
      statement.createdAt = node.text
      return
    case 'Acct':
      statement.account = { id: textAt(node, 'Id/IBAN', 'Id/Othr/Id'), currency: textAt(node, 'Ccy') }
      return
    case 'Bal':
      statement.balances.push(balanceOf(node))
      return
    case 'TxsSummry':
      statement.totals.push(...totalsOf(node))
      return
    case 'Ntry':
      statement.entries.push(entryOf(node))
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

const balanceOf = (node: XmlNode): Statement['balances'][number] => ({
  type: textAt(node, 'Tp/CdOrPrtry/Cd', 'Tp/CdOrPrtry/Prtry'),
  amount: amountOf(first(node, 'Amt')),
  isDebit: isDebit(node),
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

function entryOf(node: XmlNode): StatementEntry {
  const batch = first(node, 'NtryDtls/Btch')
  return {
    amount: amountOf(first(node, 'Amt')),
    isDebit: isDebit(node),
    isReversal: ['true', '1'].includes(textAt(node, 'RvslInd')),
    status: textAt(node, 'Sts/Cd', 'Sts'),
    bookedOn: dateOf(first(node, 'BookgDt')) || dateOf(first(node, 'ValDt')),
    servicerReference: referenceOf(textAt(node, 'AcctSvcrRef')),
    code: codeOf(node),
    charges: chargesOf(node),
    batch: {
      messageId: textAt(batch, 'MsgId'),
      paymentInformationId: textAt(batch, 'PmtInfId'),
      count: textAt(batch, 'NbOfTxs'),
    },
    information: textAt(node, 'AddtlNtryInf'),
    payments: all(node, 'NtryDtls/TxDtls').map(paymentOf),
  }
}

function paymentOf(node: XmlNode): StatementPayment {
  const amount = first(node, 'Amt') ?? first(node, 'AmtDtls/TxAmt/Amt')
  const side = textAt(node, 'CdtDbtInd')
  const returned = first(node, 'RtrInf')
  const refs = first(node, 'Refs')
  const remittance = first(node, 'RmtInf')
  return {
    amount: amount && amountOf(amount),
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
      textAt(node, 'AddtlTxInf'),
    ].filter((text) => text !== ''),
    code: codeOf(node),
    returnReason: textAt(returned, 'Rsn/Cd', 'Rsn/Prtry'),
    isReturn: returned !== undefined,
    charges: chargesOf(node),
    payer: {
      name: textAt(
        node,
        'RltdPties/Dbtr/Pty/Nm',
        'RltdPties/Dbtr/Nm',
        'RltdPties/UltmtDbtr/Pty/Nm',
        'RltdPties/UltmtDbtr/Nm',
      ),
      account: textAt(node, 'RltdPties/DbtrAcct/Id/IBAN', 'RltdPties/DbtrAcct/Id/Othr/Id'),
      bic: textAt(node, 'RltdAgts/DbtrAgt/FinInstnId/BICFI', 'RltdAgts/DbtrAgt/FinInstnId/BIC'),
    },
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
      const amount = first(charge, 'Amt')
      if (!amount || amount.text === '') return []
      return [
        {
          amount: amountOf(amount),
          isCredit: textAt(charge, 'CdtDbtInd') === 'CRDT',
          isIncluded: ['true', '1'].includes(textAt(charge, 'ChrgInclInd')),
        },
      ]
    })

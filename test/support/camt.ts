/** What a test's bank writes into its messages. Amounts are decimal texts of the account's currency. */
export type CamtEntry = {
  amount: string
  /** A debit of our account. */
  debit?: boolean
  reversal?: boolean
  status?: string
  servicerReference?: string
  entryReference?: string
  date?: string
  code?: string
  batch?: { messageId?: string; paymentInformationId?: string; count: number }
  payments?: CamtPayment[]
  /** More elements within the entry. */
  extra?: string
  information?: string
}

export type CamtPayment = {
  amount?: string
  endToEndId?: string
  remittance?: string
  structured?: string
  servicerReference?: string
  messageId?: string
  paymentInformationId?: string
  /** `for`: the one on whose behalf the payer paid, the ultimate debtor. */
  payer?: { name: string; iban: string; bic: string; for?: string }
  /** Whom we paid, in the newer versions. */
  payee?: { name: string }
  returnReason?: string
  charge?: string
  information?: string
}

export type CamtStatement = {
  kind?: '052' | '053' | '054'
  version?: string
  id?: string
  number?: number
  iban?: string
  /** The account’s other id, where it has no IBAN. */
  other?: string
  currency?: string
  opening?: string
  closing?: string
  date?: string
  entries: CamtEntry[]
  /** More elements within the statement, before its entries. */
  extra?: string
}

const roots = {
  '052': ['BkToCstmrAcctRpt', 'Rpt'],
  '053': ['BkToCstmrStmt', 'Stmt'],
  '054': ['BkToCstmrDbtCdtNtfctn', 'Ntfctn'],
} as const

export const ourIban = 'DE02120300000000202051'
const day = '2026-03-02'

/** Writes a camt message, in the form of version 08 or, for older versions, as those have it. */
export function camt(statement: CamtStatement): string {
  const { kind = '053', version = '08', id = 'S1', number, iban = ourIban, other, currency = 'EUR' } = statement
  const { date = day } = statement
  const [root, part] = roots[kind]
  const balance = (type: string, amount: string | undefined): string =>
    amount === undefined
      ? ''
      : `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp><Amt Ccy="${currency}">${amount.replace('-', '')}</Amt>` +
        `<CdtDbtInd>${amount.startsWith('-') ? 'DBIT' : 'CRDT'}</CdtDbtInd><Dt><Dt>${date}</Dt></Dt></Bal>`
  return (
    `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.${kind}.001.${version}">` +
    `<${root}><GrpHdr><MsgId>M-${id}</MsgId><CreDtTm>${date}T18:00:00Z</CreDtTm></GrpHdr><${part}><Id>${id}</Id>` +
    `${number === undefined ? '' : `<ElctrncSeqNb>${number}</ElctrncSeqNb>`}<CreDtTm>${date}T18:00:00Z</CreDtTm>` +
    `<Acct><Id>${other === undefined ? tag('IBAN', iban) : `<Othr>${tag('Id', other)}</Othr>`}</Id><Ccy>${currency}</Ccy></Acct>` +
    `${balance('OPBD', statement.opening)}${balance('CLBD', statement.closing)}${statement.extra ?? ''}` +
    `${statement.entries.map((one) => entryOf(one, { currency, version, date })).join('\n')}</${part}></${root}></Document>\n`
  )
}

type EntryContext = { currency: string; version: string; date: string }

function entryOf(entry: CamtEntry, { currency, version, date }: EntryContext): string {
  const { amount, debit = false, status = 'BOOK', batch, payments = [] } = entry
  const side = `<CdtDbtInd>${debit ? 'DBIT' : 'CRDT'}</CdtDbtInd>`
  const isOld = version < '04'
  const code = entry.code
    ? `<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>${entry.code}</SubFmlyCd></Fmly></Domn></BkTxCd>`
    : '<BkTxCd><Prtry><Cd>NTRF</Cd></Prtry></BkTxCd>'
  const details = payments.map((one) => paymentOf(one, { currency, isOld, side })).join('')
  const stated = batch
    ? `<Btch>${tag('MsgId', batch.messageId)}${tag('PmtInfId', batch.paymentInformationId)}<NbOfTxs>${batch.count}</NbOfTxs></Btch>`
    : ''
  return (
    `<Ntry>${tag('NtryRef', entry.entryReference)}<Amt Ccy="${currency}">${amount}</Amt>${side}` +
    `${entry.reversal ? '<RvslInd>true</RvslInd>' : ''}${isOld ? `<Sts>${status}</Sts>` : `<Sts><Cd>${status}</Cd></Sts>`}` +
    `<BookgDt><Dt>${entry.date ?? date}</Dt></BookgDt><ValDt><Dt>${entry.date ?? date}</Dt></ValDt>` +
    `${tag('AcctSvcrRef', entry.servicerReference)}${code}${entry.extra ?? ''}` +
    `${details + stated === '' ? '' : `<NtryDtls>${stated}${details}</NtryDtls>`}${tag('AddtlNtryInf', entry.information)}</Ntry>`
  )
}

type PaymentContext = { currency: string; isOld: boolean; side: string }

function paymentOf(payment: CamtPayment, { currency, isOld, side }: PaymentContext): string {
  const { payer, payee, amount } = payment
  const stated = amount === undefined ? '' : `<Amt Ccy="${currency}">${amount}</Amt>`
  const parties = payer
    ? isOld
      ? `<RltdPties><Dbtr><Nm>${payer.name}</Nm></Dbtr><DbtrAcct><Id><IBAN>${payer.iban}</IBAN></Id></DbtrAcct>` +
        `${payer.for === undefined ? '' : `<UltmtDbtr><Nm>${payer.for}</Nm></UltmtDbtr>`}</RltdPties><RltdAgts><DbtrAgt><FinInstnId><BIC>${payer.bic}</BIC></FinInstnId></DbtrAgt></RltdAgts>`
      : `<RltdPties><Dbtr><Pty><Nm>${payer.name}</Nm></Pty></Dbtr><DbtrAcct><Id><IBAN>${payer.iban}</IBAN></Id></DbtrAcct>` +
        `${payer.for === undefined ? '' : `<UltmtDbtr><Pty><Nm>${payer.for}</Nm></Pty></UltmtDbtr>`}</RltdPties><RltdAgts><DbtrAgt><FinInstnId><BICFI>${payer.bic}</BICFI></FinInstnId></DbtrAgt></RltdAgts>`
    : payee
      ? `<RltdPties><Cdtr><Pty><Nm>${payee.name}</Nm></Pty></Cdtr></RltdPties>`
      : ''
  const charges = payment.charge
    ? isOld
      ? `<Chrgs><Amt Ccy="${currency}">${payment.charge}</Amt></Chrgs>`
      : `<Chrgs><Rcrd><Amt Ccy="${currency}">${payment.charge}</Amt><CdtDbtInd>DBIT</CdtDbtInd><ChrgInclInd>true</ChrgInclInd></Rcrd></Chrgs>`
    : ''
  const inItsPlace = isOld ? `<AmtDtls><TxAmt>${stated}</TxAmt></AmtDtls>` : stated + side
  const amounts = stated === '' ? '' : inItsPlace
  const remittance =
    tag('Ustrd', payment.remittance) +
    (payment.structured ? `<Strd><CdtrRefInf><Ref>${payment.structured}</Ref></CdtrRefInf></Strd>` : '')
  const refs =
    tag('MsgId', payment.messageId) +
    tag('AcctSvcrRef', payment.servicerReference) +
    tag('PmtInfId', payment.paymentInformationId) +
    tag('EndToEndId', payment.endToEndId)
  return (
    `<TxDtls>${refs === '' ? '' : `<Refs>${refs}</Refs>`}${amounts}${charges}${parties}${remittance === '' ? '' : `<RmtInf>${remittance}</RmtInf>`}` +
    `${payment.returnReason ? `<RtrInf><Rsn><Cd>${payment.returnReason}</Cd></Rsn></RtrInf>` : ''}${tag('AddtlTxInf', payment.information)}</TxDtls>`
  )
}

const tag = (name: string, text: string | undefined): string =>
  text === undefined
    ? ''
    : `<${name}>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</${name}>`

/** What a status report says. */
export type Pain002 = {
  messageId: string
  group?: string
  parts?: {
    id: string
    status?: string
    reason?: string
    payments?: { endToEndId: string; status: string; reason?: string; names?: string[] }[]
  }[]
  reason?: string
}

/** Writes a pain.002 about a payment file. */
export function pain002({ messageId, group, parts = [], reason }: Pain002): string {
  const why = (code: string | undefined, names: string[] = []): string =>
    code || names.length > 0
      ? `<StsRsnInf>${code ? `<Rsn><Cd>${code}</Cd></Rsn>` : ''}${names.map((name) => tag('AddtlInf', name)).join('')}</StsRsnInf>`
      : ''
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt>' +
    `<GrpHdr><MsgId>R-${messageId}</MsgId><CreDtTm>2026-03-02T12:00:00Z</CreDtTm></GrpHdr>` +
    `<OrgnlGrpInfAndSts><OrgnlMsgId>${messageId}</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId>${tag('GrpSts', group)}${why(reason)}</OrgnlGrpInfAndSts>` +
    parts
      .map(
        (part) =>
          `<OrgnlPmtInfAndSts><OrgnlPmtInfId>${part.id}</OrgnlPmtInfId>${tag('PmtInfSts', part.status)}${why(part.reason)}` +
          (part.payments ?? [])
            .map(
              (one) =>
                `<TxInfAndSts><OrgnlEndToEndId>${one.endToEndId}</OrgnlEndToEndId><TxSts>${one.status}</TxSts>${why(one.reason, one.names)}</TxInfAndSts>`,
            )
            .join('') +
          '</OrgnlPmtInfAndSts>',
      )
      .join('') +
    '</CstmrPmtStsRpt></Document>\n'
  )
}

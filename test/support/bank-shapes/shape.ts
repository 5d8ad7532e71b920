/** A booking, in words that every bank has. Amounts are decimal texts in euro. */
export type ShapedBooking = {
  amount: string
  debit?: boolean
  /** The bank's own reference of it. */
  bankReference: string
  text?: string
  endToEndId?: string
  party?: { name: string; account: string }
  /** What the bank kept of a credit: `amount` is what the payer sent. */
  kept?: string
  /** The bank takes it for its work. */
  isCharge?: boolean
}

/** What a bank says of one day. */
export type ShapedDay = {
  number: number
  date: string
  opening: string
  closing: string
  bookings: readonly ShapedBooking[]
}

/** The files of a bank about one day, in the shape in which it writes them. */
export type BankShape = {
  /** The account, as CONFIG_FILE has it. */
  account: { iban: string } | { other: string }
  bic: string
  files(day: ShapedDay): { name: string; content: Buffer }[]
  notices: Notices
}

/** How a bank notifies of bookings before their statement: never with a code, a charge or an end-to-end id, and some lack more. */
export type Notices = {
  kind: '052' | '054'
  version: '02' | '04' | '08' | '10'
  lacks?: 'reference' | 'party'
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
export const tag = (name: string, text: string | undefined): string =>
  text === undefined || text === '' ? '' : `<${name}>${escaped(text)}</${name}>`
export const amountTag = (amount: string): string => `<Amt Ccy="EUR">${amount}</Amt>`
export const sideTag = (debit: boolean | undefined): string => `<CdtDbtInd>${debit ? 'DBIT' : 'CRDT'}</CdtDbtInd>`
export const datesOf = (date: string): string => `<BookgDt><Dt>${date}</Dt></BookgDt><ValDt><Dt>${date}</Dt></ValDt>`
export const code = (family: string, sub: string, own = ''): string =>
  `<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>${family}</Cd><SubFmlyCd>${sub}</SubFmlyCd></Fmly></Domn>${own}</BkTxCd>`
export const sepa = ({ debit }: ShapedBooking): string => code(debit ? 'ICDT' : 'RCDT', 'ESCT')
export const charge = '<BkTxCd><Domn><Cd>ACMT</Cd><Fmly><Cd>MDOP</Cd><SubFmlyCd>CHRG</SubFmlyCd></Fmly></Domn></BkTxCd>'

/** Cents of a decimal text, and the text of cents. */
export const centsOf = (text: string): bigint => {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(2, '0'))
}
export const textOf = (cents: bigint): string => {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0')
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** What a booking adds to the account. */
export const movedBy = ({ amount, debit, kept = '0' }: ShapedBooking): bigint =>
  debit ? -centsOf(amount) : centsOf(amount) - centsOf(kept)

export const balanceOf = (type: string, amount: string, date: string, more = ''): string =>
  `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp>${more}${amountTag(amount.replace('-', ''))}` +
  `${sideTag(amount.startsWith('-'))}<Dt><Dt>${date}</Dt></Dt></Bal>`

/** The other side: in version .02 and .04 of the messages directly, in later ones as a party or an agent. */
export function partiesOf({ party, debit }: ShapedBooking, isOld: boolean): string {
  if (!party) return ''
  const role = debit ? 'Cdtr' : 'Dbtr'
  const name = isOld ? tag('Nm', party.name) : `<Pty>${tag('Nm', party.name)}</Pty>`
  return `<RltdPties><${role}>${name}</${role}><${role}Acct><Id><IBAN>${party.account}</IBAN></Id></${role}Acct></RltdPties>`
}

type Message = { kind: '052' | '053' | '054'; version: string; header: string; body: string }

const partsOf = {
  '052': ['BkToCstmrAcctRpt', 'Rpt'],
  '053': ['BkToCstmrStmt', 'Stmt'],
  '054': ['BkToCstmrDbtCdtNtfctn', 'Ntfctn'],
} as const

export function document({ kind, version, header, body }: Message): string {
  const [root, part] = partsOf[kind]
  return (
    `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.${kind}.001.${version}">` +
    `<${root}>${header}<${part}>${body}</${part}></${root}></Document>\n`
  )
}
export const headerOf = (id: string, date: string): string =>
  `<GrpHdr><MsgId>${id}</MsgId><CreDtTm>${date}T19:00:00+01:00</CreDtTm></GrpHdr>`
export const ibanAccount = (iban: string, bic: string): string =>
  `<Acct><Id><IBAN>${iban}</IBAN></Id><Ccy>EUR</Ccy><Svcr><FinInstnId><BIC>${bic}</BIC></FinInstnId></Svcr></Acct>`
export const xml = (name: string, text: string): { name: string; content: Buffer } => ({
  name,
  content: Buffer.from(text),
})

/** One notification of a bank about bookings of several days: what came, and who says to have sent it. */
export function noticeOf(
  { account, notices: { kind, version, lacks } }: BankShape,
  id: string,
  bookings: readonly { date: string; booking: ShapedBooking }[],
): { name: string; content: Buffer } {
  const isOld = version < '08'
  const own = 'iban' in account ? tag('IBAN', account.iban) : `<Othr>${tag('Id', account.other)}</Othr>`
  const status = isOld ? '<Sts>BOOK</Sts>' : '<Sts><Cd>BOOK</Cd></Sts>'
  const entries = bookings.map(({ date, booking }) => {
    const moved = movedBy(booking)
    const reference = lacks === 'reference' ? '' : tag('AcctSvcrRef', booking.bankReference)
    const party = lacks === 'party' ? '' : partiesOf(booking, isOld)
    const text = booking.text ? `<RmtInf>${tag('Ustrd', booking.text)}</RmtInf>` : ''
    return (
      `<Ntry>${amountTag(textOf(moved < 0n ? -moved : moved))}${sideTag(booking.debit)}${status}${datesOf(date)}${reference}` +
      `<BkTxCd><Prtry><Cd>NTRF</Cd></Prtry></BkTxCd><NtryDtls><TxDtls>${party}${text}</TxDtls></NtryDtls></Ntry>`
    )
  })
  const date = bookings[0]?.date ?? ''
  const body = `${tag('Id', id)}<CreDtTm>${date}T12:00:00Z</CreDtTm><Acct><Id>${own}</Id><Ccy>EUR</Ccy></Acct>${entries.join('')}`
  return xml(`${id}.xml`, document({ kind, version, header: headerOf(id, date), body }))
}

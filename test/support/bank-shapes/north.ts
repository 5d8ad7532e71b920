import {
  amountTag,
  balanceOf,
  type BankShape,
  centsOf,
  charge,
  code,
  datesOf,
  document,
  headerOf,
  movedBy,
  partiesOf,
  sepa,
  type ShapedBooking,
  sideTag,
  tag,
  textOf,
  xml,
} from './shape.ts'

/** A bank of the north: a number that is no IBAN, only a legal sequence number, references as creditor references, credits in batches. */
export const nordea: BankShape = {
  account: { other: 'FI00135012345678' },
  bic: 'NDEAFIHH',
  notices: { kind: '054', version: '02' },
  files: ({ number, date, opening, closing, bookings }) => {
    const credits = bookings.filter((one) => !one.debit)
    const rest = bookings.filter((one) => one.debit)
    const paymentOf = (one: ShapedBooking): string =>
      `<TxDtls><Refs><AcctSvcrRef>${one.bankReference}</AcctSvcrRef>${tag('EndToEndId', one.endToEndId)}</Refs>` +
      `<AmtDtls><TxAmt>${amountTag(one.amount)}</TxAmt></AmtDtls>${partiesOf(one, true)}` +
      `${one.text ? `<RmtInf><Strd><CdtrRefInf><Tp><CdOrPrtry><Cd>SCOR</Cd></CdOrPrtry></Tp>${tag('Ref', one.text)}</CdtrRefInf></Strd></RmtInf>` : ''}</TxDtls>`
    const sum = textOf(credits.reduce((total, { amount }) => total + centsOf(amount), 0n))
    const batch =
      credits.length === 0
        ? ''
        : `<Ntry>${amountTag(sum)}<CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts>${datesOf(date)}<AcctSvcrRef>${date}-K</AcctSvcrRef>` +
          `${code('RCDT', 'ESCT')}<NtryDtls><Btch><NbOfTxs>${credits.length}</NbOfTxs></Btch>${credits.map(paymentOf).join('')}</NtryDtls></Ntry>`
    return [
      xml(
        `NDEA-${date}.xml`,
        document({
          kind: '053',
          version: '02',
          header: headerOf(`NDEA${date}`, date),
          body:
            `<Id>NDEA-${date}</Id><LglSeqNb>${number}</LglSeqNb><CreDtTm>${date}T21:00:00+02:00</CreDtTm>` +
            `<FrToDt><FrDtTm>${date}T00:00:00</FrDtTm><ToDtTm>${date}T23:59:59</ToDtTm></FrToDt>` +
            `<Acct><Id><Othr><Id>FI00135012345678</Id><SchmeNm><Cd>BBAN</Cd></SchmeNm></Othr></Id><Ccy>EUR</Ccy></Acct>` +
            balanceOf('OPBD', opening, date) +
            balanceOf('CLBD', closing, date) +
            batch +
            rest
              .map(
                (one) =>
                  `<Ntry>${amountTag(one.amount)}<CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts>${datesOf(date)}` +
                  `<AcctSvcrRef>${one.bankReference}</AcctSvcrRef>${one.isCharge ? charge : sepa(one)}` +
                  `${one.isCharge ? '' : `<NtryDtls>${paymentOf(one)}</NtryDtls>`}${tag('AddtlNtryInf', one.text)}</Ntry>`,
              )
              .join(''),
        }),
      ),
    ]
  },
}

/** A participant of a central bank's clearing: only a closing balance, without an indicator; charges with their tax; Latin-1 that is called UTF-8. */
export const centrolink: BankShape = {
  account: { iban: 'LT601010012345678901' },
  bic: 'LIABLT2XXXX',
  notices: { kind: '052', version: '08' },
  files: ({ number, date, closing, bookings }) => {
    const text = document({
      kind: '053',
      version: '08',
      header: headerOf(`CL${date}`, date),
      body:
        `<Id>CL-${date}</Id><ElctrncSeqNb>${number}</ElctrncSeqNb><CreDtTm>${date}T20:00:00</CreDtTm>` +
        `<Acct><Id><IBAN>LT601010012345678901</IBAN></Id><Ccy>EUR</Ccy><Svcr><FinInstnId><BICFI>LIABLT2XXXX</BICFI></FinInstnId></Svcr></Acct>` +
        `<Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp>${amountTag(closing)}<Dt><Dt>${date}</Dt></Dt></Bal>` +
        bookings
          .map(
            (one) =>
              `<Ntry>${amountTag(textOf(one.debit ? centsOf(one.amount) : movedBy(one)))}${sideTag(one.debit)}<Sts><Cd>BOOK</Cd></Sts>${datesOf(date)}` +
              `<AcctSvcrRef>${one.bankReference}</AcctSvcrRef>${one.isCharge ? charge : sepa(one)}${one.kept ? keptWithTax(one.kept) : ''}` +
              `<NtryDtls><TxDtls><Refs>${tag('EndToEndId', one.endToEndId)}<TxId>TX${one.bankReference}</TxId></Refs>${amountTag(one.amount)}${sideTag(one.debit)}` +
              `${partiesOf(one, false)}${one.text ? `<RmtInf>${tag('Ustrd', one.text)}</RmtInf>` : ''}</TxDtls></NtryDtls></Ntry>`,
          )
          .join(''),
    })
    return [{ name: `CL-${date}.xml`, content: Buffer.from(text, 'latin1') }]
  },
}

/** A charge of which a part is tax: the record has both, and the tax once more by itself. */
const keptWithTax = (kept: string): string => {
  const tax = centsOf(kept) / 6n
  return (
    `<Chrgs><TtlChrgsAndTaxAmt Ccy="EUR">${kept}</TtlChrgsAndTaxAmt><Rcrd>${amountTag(kept)}<CdtDbtInd>DBIT</CdtDbtInd>` +
    `<ChrgInclInd>true</ChrgInclInd><Tax><Rate>21</Rate><Amt Ccy="EUR">${textOf(tax)}</Amt></Tax></Rcrd></Chrgs>`
  )
}

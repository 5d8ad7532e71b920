import {
  amountTag,
  balanceOf,
  type BankShape,
  centsOf,
  charge,
  datesOf,
  document,
  headerOf,
  movedBy,
  partiesOf,
  sepa,
  sideTag,
  tag,
  textOf,
  xml,
} from './shape.ts'

/** The Swiss post's bank: version .04, what it keeps of a credit as a total without records, tax and all. */
export const postfinance: BankShape = {
  account: { iban: 'CH6309000000250097798' },
  bic: 'POFICHBEXXX',
  notices: { kind: '054', version: '04' },
  files: ({ number, date, opening, closing, bookings }) => [
    xml(
      `camt.053-P-CH6309000000250097798-${date}.xml`,
      document({
        kind: '053',
        version: '04',
        header: headerOf(`${date}375204`, date),
        body:
          `<Id>${date}375204</Id><ElctrncSeqNb>${number}</ElctrncSeqNb><CreDtTm>${date}T22:00:00</CreDtTm>` +
          `<Acct><Id><IBAN>CH6309000000250097798</IBAN></Id><Ccy>EUR</Ccy><Ownr><Nm>Example Ltd</Nm></Ownr></Acct>` +
          balanceOf('OPBD', opening, date) +
          balanceOf('CLBD', closing, date) +
          bookings
            .map(
              (one) =>
                `<Ntry><NtryRef>CH6309000000250097798</NtryRef>${amountTag(textOf(one.debit ? centsOf(one.amount) : movedBy(one)))}${sideTag(one.debit)}` +
                `<RvslInd>false</RvslInd><Sts>BOOK</Sts>${datesOf(date)}<AcctSvcrRef>${one.bankReference}</AcctSvcrRef>${one.isCharge ? charge : sepa(one)}` +
                (one.kept ? `<Chrgs><TtlChrgsAndTaxAmt Ccy="EUR">${one.kept}</TtlChrgsAndTaxAmt></Chrgs>` : '') +
                `<NtryDtls><Btch><NbOfTxs>1</NbOfTxs></Btch><TxDtls><Refs><AcctSvcrRef>${one.bankReference}</AcctSvcrRef>${tag('EndToEndId', one.endToEndId ?? 'NOTPROVIDED')}</Refs>` +
                `${amountTag(one.amount)}${sideTag(one.debit)}${partiesOf(one, true)}${one.text ? `<RmtInf>${tag('Ustrd', one.text)}</RmtInf>` : ''}</TxDtls></NtryDtls>` +
                `<AddtlNtryInf>${one.debit ? 'LASTSCHRIFT' : 'GUTSCHRIFT VON FREMDBANK'}</AddtlNtryInf></Ntry>`,
            )
            .join(''),
      }),
    ),
  ],
}

/** An account at a payment institution: no number but a period, an id of its own, entries without a status, fees as debits without a code. */
export const wise: BankShape = {
  account: { other: '5278-14.39' },
  bic: 'TRWIBEB1XXX',
  notices: { kind: '054', version: '10', lacks: 'reference' },
  files: ({ date, opening, closing, bookings }) => [
    xml(
      `statement_5278-14.39_EUR_${date}.xml`,
      document({
        kind: '053',
        version: '10',
        header: headerOf(`b1f0${date}`, date),
        body:
          `<Id>b1f0-${date}</Id><CreDtTm>${date}T23:59:59.999Z</CreDtTm>` +
          `<FrToDt><FrDtTm>${date}T00:00:00.000Z</FrDtTm><ToDtTm>${date}T23:59:59.999Z</ToDtTm></FrToDt>` +
          `<Acct><Id><Othr><Id>5278-14.39</Id></Othr></Id><Ccy>EUR</Ccy></Acct>` +
          balanceOf('OPBD', opening, date) +
          balanceOf('CLBD', closing, date) +
          bookings
            .map(
              (one) =>
                `<Ntry><NtryRef>${one.isCharge ? 'FEE' : 'TRANSFER'}-${one.bankReference}</NtryRef>${amountTag(one.amount)}${sideTag(one.debit)}` +
                `<BookgDt><DtTm>${date}T10:11:12.131Z</DtTm></BookgDt><BkTxCd><Prtry><Cd>${one.isCharge ? 'FEE' : 'TRANSFER'}</Cd></Prtry></BkTxCd>` +
                `<NtryDtls><TxDtls><Refs>${tag('EndToEndId', one.endToEndId)}</Refs>${amountTag(one.amount)}${sideTag(one.debit)}` +
                `${partiesOf(one, false)}${one.text ? `<RmtInf>${tag('Ustrd', one.text)}</RmtInf>` : ''}</TxDtls></NtryDtls></Ntry>`,
            )
            .join(''),
      }),
    ),
  ],
}

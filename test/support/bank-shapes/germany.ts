import { zipOf } from './zip.ts'
import {
  amountTag,
  balanceOf,
  type BankShape,
  charge,
  code,
  datesOf,
  document,
  headerOf,
  partiesOf,
  type ShapedBooking,
  sideTag,
  tag,
  xml,
} from './shape.ts'

const codeOf = ({ isCharge, debit }: ShapedBooking): string => {
  const own = `<Prtry><Cd>NTRF+${debit ? '116' : '166'}+00931</Cd><Issr>DK</Issr></Prtry>`
  return isCharge ? charge : code(debit ? 'ICDT' : 'RCDT', 'ESCT', own)
}

const germanEntry = (one: ShapedBooking, date: string): string =>
  `<Ntry>${amountTag(one.amount)}${sideTag(one.debit)}<Sts><Cd>BOOK</Cd></Sts>${datesOf(date)}<AcctSvcrRef>${one.bankReference}</AcctSvcrRef>` +
  codeOf(one) +
  `<NtryDtls><TxDtls><Refs>${tag('EndToEndId', one.endToEndId ?? 'NOTPROVIDED')}</Refs>${amountTag(one.amount)}${sideTag(one.debit)}` +
  `${partiesOf(one, false)}${one.text ? `<RmtInf>${tag('Ustrd', one.text)}</RmtInf>` : ''}</TxDtls></NtryDtls>` +
  `<AddtlNtryInf>${one.isCharge ? 'ENTGELT' : one.debit ? 'ÜBERWEISUNG' : 'GUTSCHRIFT'}</AddtlNtryInf></Ntry>`

/** A cooperative bank of Germany: statements in an archive, the last closing balance first, a number that begins again each January. */
export const geno: BankShape = {
  account: { iban: 'DE91500604000001234567' },
  bic: 'GENODEFFXXX',
  notices: { kind: '052', version: '08' },
  files: ({ number, date, opening, closing, bookings }) => {
    const text = document({
      kind: '053',
      version: '08',
      header: headerOf(`053D${date}`, date),
      body:
        `<Id>0001234567${date}</Id><ElctrncSeqNb>${number}</ElctrncSeqNb><CreDtTm>${date}T19:00:00+01:00</CreDtTm>` +
        `<Acct><Id><IBAN>DE91500604000001234567</IBAN></Id><Ccy>EUR</Ccy><Ownr><Nm>EXAMPLE LTD</Nm></Ownr></Acct>` +
        balanceOf('PRCD', opening, date) +
        balanceOf('CLBD', closing, date) +
        bookings.map((one) => germanEntry(one, date)).join(''),
    })
    return [{ name: `C53_${date}.zip`, content: zipOf(`camt053_${date}.xml`, Buffer.from(text)) }]
  },
}

/** A bank that reports the day so far (camt.052) and again as the statement of the day, as German banks do. */
export const german: BankShape = {
  account: { iban: 'DE15300606010505780780' },
  bic: 'DAAEDEDDXXX',
  notices: { kind: '054', version: '08', lacks: 'reference' },
  files: ({ number, date, opening, closing, bookings }) => {
    const account = '<Acct><Id><IBAN>DE15300606010505780780</IBAN></Id><Ccy>EUR</Ccy></Acct>'
    const entries = bookings.map((one) => germanEntry(one, date)).join('')
    return [
      xml(
        `C52_${date}.xml`,
        document({
          kind: '052',
          version: '08',
          header: headerOf(`052D${date}`, date),
          body: `<Id>052${date}</Id><ElctrncSeqNb>${number}</ElctrncSeqNb><CreDtTm>${date}T12:00:00+01:00</CreDtTm>${account}${balanceOf('ITBD', opening, date)}${entries}`,
        }),
      ),
      xml(
        `C53_${date}.xml`,
        document({
          kind: '053',
          version: '08',
          header: headerOf(`053D${date}`, date),
          body: `<Id>053${date}</Id><ElctrncSeqNb>${number}</ElctrncSeqNb><CreDtTm>${date}T19:00:00+01:00</CreDtTm>${account}${balanceOf('PRCD', opening, date)}${balanceOf('CLBD', closing, date)}${entries}`,
        }),
      ),
    ]
  },
}

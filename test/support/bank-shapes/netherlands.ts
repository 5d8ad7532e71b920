import {
  amountTag,
  balanceOf,
  type BankShape,
  charge,
  datesOf,
  document,
  headerOf,
  ibanAccount,
  partiesOf,
  sepa,
  sideTag,
  tag,
  xml,
} from './shape.ts'

/** A bank of the Netherlands: version .02, everything once more in one line with slashes, both sequence numbers. */
export const abn: BankShape = {
  account: { iban: 'NL05ABNA0102030405' },
  bic: 'ABNANL2A',
  notices: { kind: '054', version: '02' },
  files: ({ number, date, opening, closing, bookings }) => [
    xml(
      `CAMT053_0102030405_${date}.xml`,
      document({
        kind: '053',
        version: '02',
        header: headerOf(`0102030405${date.replaceAll('-', '')}`, date),
        body:
          `<Id>NL05ABNA0102030405-${number}</Id><ElctrncSeqNb>${number}</ElctrncSeqNb><LglSeqNb>${number}</LglSeqNb><CreDtTm>${date}T19:00:00+01:00</CreDtTm>` +
          ibanAccount('NL05ABNA0102030405', 'ABNANL2A') +
          balanceOf('OPBD', opening, date) +
          balanceOf('CLBD', closing, date) +
          bookings
            .map((one) => {
              const line = [
                `/TRTP/${one.isCharge ? 'KOSTEN' : 'SEPA OVERBOEKING'}`,
                ...(one.party ? [`/IBAN/${one.party.account}/NAME/${one.party.name}`] : []),
                `/REMI/${one.text ?? ''}/EREF/${one.endToEndId ?? 'NOTPROVIDED'}`,
              ].join('')
              return (
                `<Ntry>${amountTag(one.amount)}${sideTag(one.debit)}<RvslInd>false</RvslInd><Sts>BOOK</Sts>${datesOf(date)}` +
                `<AcctSvcrRef>${one.bankReference}</AcctSvcrRef>${one.isCharge ? charge : sepa(one)}` +
                `<NtryDtls><TxDtls><Refs><EndToEndId>${one.endToEndId ?? 'NOTPROVIDED'}</EndToEndId></Refs>` +
                `<AmtDtls><TxAmt>${amountTag(one.amount)}</TxAmt></AmtDtls>${partiesOf(one, true)}` +
                `${one.text ? `<RmtInf>${tag('Ustrd', one.text)}</RmtInf>` : ''}</TxDtls></NtryDtls>${tag('AddtlNtryInf', line)}</Ntry>`
              )
            })
            .join(''),
      }),
    ),
  ],
}

/** Another one: the balance of the day before, available balances, totals, an entry reference that counts, and texts cut into lines. */
export const ing: BankShape = {
  account: { iban: 'NL20INGB0001234567' },
  bic: 'INGBNL2A',
  notices: { kind: '052', version: '02', lacks: 'party' },
  files: ({ number, date, opening, closing, bookings }) => [
    xml(
      `NL20INGB0001234567_${date}.xml`,
      document({
        kind: '053',
        version: '02',
        header: headerOf(`INGB${date}`, date),
        body:
          `<Id>INGB${date}-${number}</Id><ElctrncSeqNb>${number}</ElctrncSeqNb><CreDtTm>${date}T19:00:00+01:00</CreDtTm>` +
          ibanAccount('NL20INGB0001234567', 'INGBNL2A') +
          balanceOf('PRCD', opening, date) +
          balanceOf('CLBD', closing, date) +
          balanceOf('CLAV', closing, date) +
          balanceOf('FWAV', closing, date) +
          `<TxsSummry><TtlNtries><NbOfNtries>${bookings.length}</NbOfNtries></TtlNtries></TxsSummry>` +
          bookings
            .map((one, index) => {
              const text = one.text ?? ''
              const lines = [text.slice(0, 12), text.slice(12)].filter((part) => part !== '')
              return (
                `<Ntry><NtryRef>${String(index + 1).padStart(5, '0')}</NtryRef>${amountTag(one.amount)}${sideTag(one.debit)}<Sts>BOOK</Sts>` +
                `${datesOf(date)}<AcctSvcrRef>${one.bankReference}</AcctSvcrRef>${one.isCharge ? charge : sepa(one)}<NtryDtls><TxDtls>` +
                `<Refs><AcctSvcrRef>${one.bankReference}</AcctSvcrRef>${tag('EndToEndId', one.endToEndId ?? 'NOTPROVIDED')}</Refs>` +
                `${partiesOf(one, true)}${lines.length > 0 ? `<RmtInf>${lines.map((part) => tag('Ustrd', part)).join('')}</RmtInf>` : ''}` +
                `</TxDtls></NtryDtls></Ntry>`
              )
            })
            .join(''),
      }),
    ),
  ],
}

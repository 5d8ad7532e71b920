import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import fc from 'fast-check'
import { countrySpecs, isSEPACountry } from 'ibantools'

import { anyCodePoint } from '../../../test/support/any-code-point.ts'
import { countries, servesCountry } from '../catalog/country.ts'
import { paymentCategories } from '../catalog/payment-category.ts'
import { accountFormOf, checkAccount, printAccount } from './account.ts'
import type { AccountForm } from './account.ts'
import { exampleAccount } from './example-account.ts'
import { readBic } from './iban.ts'

const forms: AccountForm[] = ['iban', 'uk', 'swift', 'pix', 'clabe']
const lines = (text: string): string[] => text.trim().split(/\s+/)

function accepts(form: AccountForm, account: string, canonical = account, bic = ''): void {
  const check = checkAccount(form, { account, bic })
  assert(check.ok, `${form} ${account}: ${check.ok ? '' : check.reason}`)
  assert.equal(check.canonical, canonical)
}

function refuses(form: AccountForm, account: string, bic = '', field = 'account'): string {
  const check = checkAccount(form, { account, bic })
  assert(!check.ok, `${form} accepts ${JSON.stringify(account)} ${bic}`)
  assert.equal(check.field, field)
  assert.match(check.reason, /^[A-Z].*\.$/)
  return check.reason
}

/** The example of each country in SWIFT's IBAN Registry. */
const registry = lines(`
  AD1200012030200359100100 AE070331234567890123456 AL47212110090000000235698741 AT611904300234573201
  AZ21NABZ00000000137010001944 BA391290079401028494 BE68539007547034 BG80BNBG96611020345678 BH67BMAG00001299123456
  BI4210000100010000332045181 BR1800360305000010009795493C1 BY13NBRB3600900000002Z00AB00 CH9300762011623852957
  CR05015202001026284066 CY17002001280000001200527600 CZ6508000000192000145399 DE89370400440532013000
  DJ2100010000000154000100186 DK5000400440116243 DO28BAGR00000001212453611324 EE382200221020145685
  EG380019000500000000263180002 ES9121000418450200051332 FI2112345600000785 FK88SC123456789012 FO6264600001631634
  FR1420041010050500013M02606 GB29NWBK60161331926819 GE29NB0000000101904917 GI75NWBK000000007099453 GL8964710001000206
  GR1601101250000000012300695 GT82TRAJ01020000001210029690 HN88CABF00000000000250005469 HR1210010051863000160
  HU42117730161111101800000000 IE29AIBK93115212345678 IL620108000000099999999 IQ98NBIQ850123456789012
  IS140159260076545510730339 IT60X0542811101000000123456 JO94CBJO0010000000000131000302 KW81CBKU0000000000001234560101
  KZ86125KZT5004100100 LB62099900000001001901229114 LC55HEMM000100010012001200023015 LI21088100002324013AA
  LT121000011101001000 LU280019400644750000 LV80BANK0000435195001 LY83002048000020100120361
  MC5811222000010123456789030 MD24AG000225100013104168 ME25505000012345678951 MK07250120000058984
  MN121234123456789123 MR1300020001010000123456753 MT84MALT011000012345MTLCAST001S MU17BOMM0101101030300200000MUR
  NI45BAPR00000013000003558124 NL91ABNA0417164300 NO9386011117947 OM810180000001299123456 PK36SCBL0000001123456702
  PL61109010140000071219812874 PS92PALS000000000400123456702 PT50000201231234567890154 QA58DOHB00001234567890ABCDEFG
  RO49AAAA1B31007593840000 RS35260005601001611379 RU0304452522540817810538091310419 SA0380000000608010167519
  SC18SSCB11010000000000001497USD SD2129010501234001 SE4550000000058398257466 SI56263300012039086
  SK3112000000198742637541 SM86U0322509800000000270100 SO211000001001000100141 ST23000100010051845310146
  SV62CENR00000000000000700025 TL380080012345678910157 TN5910006035183598478831 TR330006100519786457841326
  UA213223130000026007233566001 VA59001123000012345678 VG96VPVG0000012345678901 XK051212012345678906
  YE15CBYE0001018861234567891234
`)
const countryOf = (iban: string): string => iban.slice(0, 2)
const reached = (iban: string, category: 'SEPA' | 'SWIFT'): boolean =>
  countries.some((country) => country.alpha2 === countryOf(iban) && servesCountry(category, country))

describe('IBAN', () => {
  test('the example of every country of the IBAN Registry is accepted where we send money, and only there', () => {
    const known = Object.keys(countrySpecs).filter((country) => countrySpecs[country]?.IBANRegistry)
    const territories = lines('AX GF GP MF MQ NC PF PM RE TF WF YT')
    const examples = new Set(registry.map(countryOf))
    assert.deepEqual(known.filter((country) => !examples.has(country)).toSorted(), territories)

    for (const iban of registry) {
      if (reached(iban, 'SWIFT')) accepts('swift', iban)
      else assert.match(refuses('swift', iban), /this country/)
      if (reached(iban, 'SEPA')) accepts('iban', iban)
      else assert.match(refuses('iban', iban), /this country/)
    }
  })

  test('SEPA has the countries that ibantools gives it, and the five that joined in 2024 and 2025', () => {
    const differing = registry.filter((iban) => reached(iban, 'SEPA') !== isSEPACountry(countryOf(iban)))
    assert.deepEqual(differing.map(countryOf), lines('AL MD ME MK RS'))
    for (const iban of differing) accepts('iban', iban)
  })

  test('one wrong digit, two swapped neighbors, or another length is never accepted', () => {
    const sepa = registry.filter((iban) => reached(iban, 'SEPA'))
    for (const iban of sepa) {
      for (let at = 2; at < iban.length; at += 1) {
        const here = iban.charAt(at)
        if (!/\d/.test(here)) continue
        refuses('iban', iban.slice(0, at) + ((Number.parseInt(here, 10) + 1) % 10) + iban.slice(at + 1))
        const next = iban.charAt(at + 1)
        if (/\d/.test(next) && next !== here) refuses('iban', iban.slice(0, at) + next + here + iban.slice(at + 2))
      }
      refuses('iban', iban.slice(0, -1))
      refuses('iban', `${iban}0`)
    }
  })

  test('check digits inside an account count where the country has them, even if those of the IBAN hold', () => {
    assert.match(refuses('iban', 'BE41539007547035'), /check every character/)
    assert.match(refuses('iban', 'NO0586011117948'), /check every character/)
  })

  test('spaces, hyphens and small letters are only another way of writing', () => {
    accepts('iban', ' gb29 nwbk-6016 1331\u00a09268 19 ', 'GB29NWBK60161331926819')
  })

  test('a QR-IBAN, a made-up country, a territory without its own IBANs, and letters of other scripts are refused', () => {
    assert.match(refuses('iban', 'CH4431999123000889012'), /QR-IBAN/)
    assert.match(refuses('iban', 'ZZ89370400440532013000'), /No IBAN begins with ZZ/)
    assert.match(refuses('iban', 'GP1420041010050500013M02606'), /No IBAN begins with GP/)
    refuses('iban', 'DE8937040044053201300０')
    refuses('iban', 'ﬁ2112345600000785')
  })
})

describe('BIC', () => {
  test('the forms of ISO 9362 are read, and nothing else is', () => {
    for (const bic of lines('DEUTDEFF DEUTDEFF500 NEDSZAJJXXX UNCRITMM BSAMLKLXXXX SBBKDEF0XXX')) {
      assert.equal(readBic(bic), bic)
      assert.equal(readBic(` ${bic.toLowerCase()} `), bic)
    }
    for (const bic of lines('DEUTDEF DEUTDEFF5 DEUTDEFF5000 DEUTZZFF DEUT1EFF 1EUTDEFF DEUTDEF- DEUTDEFÄ')) {
      assert.equal(readBic(bic), undefined, bic)
    }
  })

  test('the BIC of a bank in another country than the IBAN is refused, but for territories that share IBANs', () => {
    refuses('iban', 'DE89370400440532013000', 'NWBKGB2L', 'bic')
    accepts('iban', 'DE89370400440532013000', undefined, 'COBADEFFXXX')
    accepts('iban', 'GB29NWBK60161331926819', undefined, 'RBOSGGSX')
    accepts('iban', 'FR1420041010050500013M02606', undefined, 'BNPARERX')
  })

  test('a foreign account without an IBAN needs a BIC, of a country where we send money', () => {
    accepts('swift', '000-123 456.789', '000123456789', 'CHASUS33')
    refuses('swift', '000123456789', '', 'bic')
    refuses('swift', '000123456789', 'CHASUS3', 'bic')
    refuses('swift', '000123456789', 'MELIIRTH', 'bic')
    refuses('swift', '123', 'CHASUS33')
    refuses('swift', '1'.repeat(35), 'CHASUS33')
    refuses('swift', 'ACCOUNT', 'CHASUS33')
    accepts('swift', '1'.repeat(34), undefined, 'CHASUS33')
  })

  test('a mistyped IBAN is never taken for a number of a foreign bank', () => {
    refuses('swift', 'DE88370400440532013000', 'COBADEFF')
    refuses('swift', 'GB29NWBK6016133192681', 'NWBKGB2L')
  })
})

describe('other forms', () => {
  test('a British account is one account, as sort code and number or as IBAN', () => {
    accepts('uk', '60-16-13 31926819', '60161331926819')
    accepts('uk', 'GB29 NWBK 6016 1331 9268 19', '60161331926819')
    const check = checkAccount('uk', { account: 'GB29NWBK60161331926819', bic: '' })
    assert(check.ok && check.iban === 'GB29NWBK60161331926819')
    for (const text of [
      '60-16-13 3192681',
      '60-16-13',
      '60-16-13 00000000',
      'DE89370400440532013000',
      'GB28NWBK60161331926819',
    ]) {
      refuses('uk', text)
    }
  })

  test('a CLABE needs its check digit', () => {
    for (const clabe of ['032180000118359719', '012180026050783858']) {
      accepts('clabe', clabe)
      for (let digit = 0; digit <= 9; digit += 1) {
        if (`${digit}` !== clabe[17]) refuses('clabe', clabe.slice(0, 17) + digit)
      }
    }
    accepts('clabe', '032 180 00011835971 9', '032180000118359719')
    refuses('clabe', '0'.repeat(18))
    refuses('clabe', '03218000011835971')
  })

  test('every kind of Pix key is spelled as the directory spells it', () => {
    accepts('pix', '111.444.777-35', '11144477735')
    accepts('pix', '11.222.333/0001-81', '11222333000181')
    accepts('pix', '12.abc.345/01de-35', '12ABC34501DE35')
    accepts('pix', 'Fulano.de.Tal@Example.com', 'fulano.de.tal@example.com')
    accepts('pix', '+55 (61) 91234-5678', '+5561912345678')
    accepts('pix', '123E4567-e12b-12d1-a456-426655440000', '123e4567-e12b-12d1-a456-426655440000')
  })

  test('a Pix key with a wrong check digit, or of no kind, is refused', () => {
    for (const key of [
      '111.444.777-36',
      '111.444.777-45',
      '111.111.111-11',
      '11.222.333/0001-82',
      '12.ABC.345/01DE-36',
      '00.000.000/0000-00',
      'fulano@',
      '@example.com',
      'fulano@example',
      `${'a'.repeat(70)}@example.com`,
      '+5501912345678',
      '+4915112345678',
      '61912345678',
      '123e4567-e12b-12d1-a456-42665544000',
      'Fulano',
      '\u212a@example.com',
    ])
      refuses('pix', key)
  })
})

test('every category that moves money by bank transfer has a form, and no other has', () => {
  for (const { category, flow } of paymentCategories) {
    assert.equal(accountFormOf(category) !== undefined, flow === 'transfer', category)
  }
})

test('a text that no person would type is refused before any work', () => {
  assert.match(refuses('iban', `DE89370400440532013000${' '.repeat(200)}`), /too long/)
  assert.match(refuses('iban', ' \n'), /empty/)
  refuses('iban', 'DE89370400440532013000', `COBADEFFXXX${' '.repeat(200)}`, 'bic')
})

test('no text makes a check throw, and what is accepted once is accepted again as it was spelled', () => {
  const likely = fc.oneof(
    fc.string({ unit: anyCodePoint, maxLength: 200 }),
    fc.stringMatching(/^[A-Z]{2}[0-9]{2}[A-Z0-9 ]{8,32}$/),
    fc.stringMatching(/^[0-9. \-/]{10,24}$/),
    fc.uint8Array({ minLength: 32, maxLength: 32 }).map((seed) => exampleAccount('clabe', seed).account),
    fc.constantFrom(...registry),
  )
  const bics = fc.oneof(fc.string({ unit: anyCodePoint }), fc.constantFrom('', 'CHASUS33', 'COBADEFFXXX'))
  fc.assert(
    fc.property(fc.constantFrom(...forms), likely, bics, (form, account, bic) => {
      const check = checkAccount(form, { account, bic })
      if (!check.ok) return assert.match(check.reason, /^[A-Z].*\.$/)
      assert.match(check.canonical, /^\S+$/)
      const again = checkAccount(form, { account: printAccount(form, check.canonical), bic: check.bic })
      assert(again.ok && again.canonical === check.canonical && again.bic === check.bic)
    }),
    { numRuns: 2000 },
  )
})

test('accounts are written as people read them', () => {
  assert.equal(printAccount('uk', '60161331926819'), '60-16-13 31926819')
  assert.equal(printAccount('iban', 'GB29NWBK60161331926819'), 'GB29 NWBK 6016 1331 9268 19')
  assert.equal(printAccount('swift', 'LT121000011101001000'), 'LT12 1000 0111 0100 1000')
  assert.equal(printAccount('swift', '000123456789'), '000123456789')
  assert.equal(printAccount('clabe', '032180000118359719'), '032180000118359719')
})

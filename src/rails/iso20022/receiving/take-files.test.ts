import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readdirSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, test } from 'node:test'

import { kindsOf, next, nextReference, paid, payer, useBank } from '../../../../test/support/bank-session.ts'
import { type BankWorld, openBankWorld } from '../../../../test/support/bank-world.ts'
import { zipOf } from '../../../../test/support/bank-shapes/zip.ts'
import { camt, type CamtEntry, type CamtStatement } from '../../../../test/support/camt.ts'
import { euros } from '../../../../test/support/folder-bank.ts'
import { acceptFile } from '../../../../test/support/statement-gaps.ts'
import { listNeeds } from '../../../exchange/needs/list-needs.ts'
import { listBankFiles, lockBankFile, wantBankFile } from '../files.ts'
import { bankRail } from '../rails.ts'

const bank = useBank()
const { stated, assertBalance, refusalOf } = bank

describe('a file', () => {
  it('is refused as a whole where something does not add up', async () => {
    const entry = paid(nextReference())
    const balances = { opening: '0.00', closing: '100.00' }
    const cases: [CamtStatement, RegExp][] = [
      [{ entries: [entry], opening: '0.00', closing: '100.01' }, /do not add up to its closing balance/],
      [{ entries: [entry], opening: '0.00' }, /lacks its closing/],
      [{ entries: [{ ...entry, amount: '100.001', payments: [] }], ...balances }, /cannot be read/],
      [{ entries: [{ ...entry, amount: '1e2', payments: [] }], ...balances }, /cannot be read/],
      [
        {
          kind: '054',
          entries: [entry],
          extra: '<TxsSummry><TtlNtries><NbOfNtries>2</NbOfNtries></TtlNtries></TxsSummry>',
        },
        /totals/,
      ],
      [
        {
          kind: '054',
          entries: [entry],
          extra: '<TxsSummry><TtlCdtNtries><Sum>100.01</Sum></TtlCdtNtries></TxsSummry>',
        },
        /totals/,
      ],
    ]
    for (const [statement, reason] of cases)
      assert.match(await refusalOf(camt({ id: next('W'), ...statement })), reason)
  })

  it('is refused where it is not plain XML of a bank', async () => {
    const fine = camt({ kind: '054', id: next('R'), entries: [paid(nextReference())] })
    const bomb = '<!DOCTYPE a [<!ENTITY a "x"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    const cases: [string | Buffer, RegExp][] = [
      [fine.replace('?>\n', `?>\n${bomb}`), /document type/],
      [fine.replace('100.00', '&unknown;'), /not well-formed/],
      [fine.replace('</Ntry>', '</Entry>'), /not well-formed/],
      [fine + fine, /not well-formed|more than one/],
      [fine.replace('camt.054', 'pain.008'), /not a statement/],
      [fine.replace(/xmlns="[^"]+"/, ''), /not a statement/],
      [fine.replace('<Ntfctn>', '<Ntfctn>'.padEnd(8) + '<a>'.repeat(100) + '</a>'.repeat(100)), /nested too deeply/],
      ['PK\u0003\u0004 a zip', /ZIP archive/],
      ['', /./],
    ]
    for (const [text, reason] of cases) assert.match(await refusalOf(text), reason)
  })

  it('that is cut anywhere credits nothing, is waited for, and is taken once it is whole', async () => {
    const reference = nextReference()
    const whole = camt({ kind: '054', id: next('R'), entries: [paid(reference)] })
    const path = join(bank.world.folder, 'in', 'slow.xml')
    for (const share of [0.1, 0.5, 0.9, 0.99]) {
      writeFileSync(path, whole.slice(0, Math.floor(whole.length * share)))
      const now = bank.world.bank.clock.realNow()
      utimesSync(path, now, now)
      assert.deepEqual(await bank.world.round(), [])
      assert.equal(existsSync(path), true)
    }
    appendFileSync(path, whole.slice(Math.floor(whole.length * 0.99)))
    assert.deepEqual(kindsOf(await bank.world.round()), ['deposit_final'])
    assert.match(await refusalOf(whole.slice(0, -20)), /./)
  })

  it('in another name than its own, hidden or unfinished, is left alone', async () => {
    const text = camt({ kind: '054', id: next('R'), entries: [paid(nextReference())] })
    for (const name of ['.hidden.xml', 'a.xml.tmp', 'a.xml.part'])
      writeFileSync(join(bank.world.folder, 'in', name), text)
    assert.deepEqual(await bank.world.round(), [])
    for (const name of ['.hidden.xml', 'a.xml.tmp', 'a.xml.part']) rmSync(join(bank.world.folder, 'in', name))
  })

  it('with 10,000 bookings is booked in one go', async () => {
    const entries = Array.from({ length: 10_000 }, (_, index) =>
      paid(nextReference(), { servicerReference: `T-${index}` }),
    )
    assert.equal((await stated(entries)).length, 10_000)
    await assertBalance()
  })
})

test('what is odd about an entry costs its split, and what a person accepts is one amount in suspense', async () => {
  const own = await openBankWorld()
  const other = nextReference()
  let day = 0
  let held = 0
  const charge = '<Chrgs><TtlChrgsAndTaxAmt Ccy="EUR">0.125</TtlChrgsAndTaxAmt></Chrgs>'
  const record = '<Chrgs><Rcrd><Amt Ccy="EUR">0.125</Amt><ChrgInclInd>true</ChrgInclInd></Rcrd></Chrgs>'
  const payment = { remittance: other, payer }
  const cases: [name: string, entry: Partial<CamtEntry>, change: (text: string) => string, isRefused: boolean][] = [
    ['charges in all', { extra: charge, payments: [payment] }, (text) => text, false],
    ['a charge', { extra: record, payments: [payment] }, (text) => text, false],
    ['a payment', { payments: [{ ...payment, amount: '50.125' }] }, (text) => text, false],
    [
      'a payment of two',
      { payments: [payment, payment].map((one) => ({ ...one, amount: '25.005' })) },
      (text) => text,
      false,
    ],
    ['no indicator', {}, (text) => text.replace(/(>50\.00<\/Amt>)<CdtDbtInd>CRDT<\/CdtDbtInd>/, '$1'), true],
    ['no amount', {}, (text) => text.replace('<Amt Ccy="EUR">50.00</Amt>', ''), true],
    ['an odd amount', {}, (text) => text.replace('>50.00</Amt>', '>50.005</Amt>'), true],
  ]
  for (const [name, entry, change, isRefused] of cases) {
    day += 1
    const reference = nextReference()
    const file = `${next('odd')}.xml`
    const statement = camt({
      id: next('S'),
      number: day,
      date: `2026-03-0${day}`,
      opening: euros(BigInt(held) * 100n),
      closing: euros(BigInt(held + 150) * 100n),
      entries: [paid(reference), { amount: '50.00', ...entry }],
    })
    held += 150
    own.outside.drop(file, change(statement))
    let events = await own.round()
    if (isRefused) {
      assert.deepEqual(events, [], name)
      own.accepted.add(file)
      await own.ctx.db.atomic(async (db) => {
        const found = await lockBankFile(db, { name: file })
        assert(found)
        wantBankFile(db, found.id, { wanted: 'accept', actor: 'cli:ann', reason: 'as it is' })
      })
      events = await own.round()
    }
    assert.deepEqual(
      events.map((event) => [event.kind, event.reference, event.amount]),
      [
        ['deposit_final', reference, 10_000n],
        ['deposit_final', '', 5_000n],
      ],
      name,
    )
    assert.equal(await bankRail(own.bank).balance('EUR-EUR'), BigInt(held) * 100n, name)
  }
  await own.close()
})

test('a file that is refused, and a gap in the numbers, are found until they are dealt with', async () => {
  const own = await openBankWorld()
  const stuck = async () => (await listNeeds(own.ctx)).map(({ kind, cause, subject }) => `${kind} ${cause} ${subject}`)
  own.outside.state([])
  await own.round()
  assert.deepEqual(await stuck(), [])
  assert.equal((await bankRail(own.bank).check?.())?.ok, true)
  own.outside.drop('odd.xml', '<odd/>')
  own.outside.state([], { id: 'LATER', number: 4 })
  await own.round()
  assert.deepEqual((await stuck()).toSorted(), ['bank_file missing bank-1 2-3', 'bank_file refused bank-1 odd.xml'])
  assert.equal((await bankRail(own.bank).check?.())?.ok, false)
  rmSync(join(own.folder, 'in/refused/odd.xml'))
  own.outside.state([], { id: 'LATE-3', number: 3 })
  await own.round()
  assert.deepEqual(await stuck(), ['bank_file missing bank-1 2'])
  own.outside.state([], { id: 'LATE-2', number: 2 })
  await own.round()
  assert.deepEqual(await stuck(), [])
  await own.close()
})

const unreadable = 'None of it can be booked: ask the bank for another file. To accept it only ends its alarm.'

test('what is no message in an archive is named, and what may be one and cannot be read keeps all of it back', async () => {
  const own = await openBankWorld()
  const message = (name: string) => {
    const reference = nextReference()
    return { name, content: Buffer.from(camt({ kind: '054', id: next('Z'), entries: [paid(reference)] })) }
  }
  const drop = async (name: string, first: { name: string; content: Buffer }, ...others: (typeof first)[]) => {
    own.outside.drop(name, zipOf(first.name, first.content, ...others))
    own.pass(60_000)
    const events = await own.round()
    const file = (await listBankFiles(own.ctx.db)).find((one) => one.file === name) ?? assert.fail(name)
    const decided = await own.ctx.db.atomic((db) => lockBankFile(db, { name }))
    return [kindsOf(events).length, file.state, file.why, decided?.why]
  }
  const notes = { name: 'read me.pdf', content: Buffer.from('%PDF-1.7') }
  const list = { name: 'bookings.csv', content: Buffer.from('day;amount') }
  const note = 'Not a message, and not read: read me.pdf, bookings.csv.'
  assert.deepEqual(await drop('mixed.zip', notes, message('a.xml'), list, message('b.xml')), [2, 'taken', note, ''])

  const broken = { name: 'camt', content: Buffer.from(`\ufeff <Document>`) }
  const html = { name: 'page.html', content: Buffer.from('<html></html>') }
  const archive = { name: 'more.zip', content: zipOf('c.xml', message('c.xml').content) }
  for (const [index, odd] of [broken, html, { ...notes, name: 'odd.XML' }, archive].entries()) {
    const [booked, state, why] = await drop(`odd-${index}.zip`, message('a.xml'), odd)
    assert.deepEqual([booked, state, why !== ''], [0, 'refused', true], odd.name)
  }
  assert.deepEqual((await drop('foreign.zip', notes, list)).slice(0, 3), [
    0,
    'refused',
    `The ZIP archive has no message in it. ${unreadable}`,
  ])
  await own.close()
})

test('files of one name are kept, accepted, read again and removed one by one', async () => {
  const own = await openBankWorld()
  const refused = (): string[] =>
    readdirSync(join(own.folder, 'in/refused')).filter((name) => !name.endsWith('.reason.txt'))
  const rows = async () => (await listBankFiles(own.ctx.db)).map(({ state }) => state)
  const ordered = async (name: string, wanted: 'accept' | 'read') => {
    await own.ctx.db.atomic(async (db) => {
      const found = await lockBankFile(db, { name })
      assert(found)
      wantBankFile(db, found.id, { wanted, actor: 'cli:ann', reason: 'as it is' })
    })
    return own.round()
  }
  const [first, second] = [nextReference(), nextReference()]
  own.outside.drop('day.xml', camt({ id: 'S-1', entries: [paid(first)], opening: '0.00', closing: '100.00' }))
  assert.deepEqual(kindsOf(await own.round()), ['deposit_final'])
  const later = camt({
    id: 'S-2',
    date: '2026-03-03',
    entries: [paid(second)],
    opening: '150.00',
    closing: '250.00',
  })
  for (const text of [later, '<odd/>']) {
    own.outside.drop('day.xml', text)
    own.pass(60_000)
    await own.round()
  }
  assert.deepEqual([refused().length, await rows()], [2, ['refused', 'refused', 'taken']])

  assert.deepEqual(await ordered('day.xml', 'read'), [])
  own.accepted.add('day.xml')
  const longName = `${createHash('sha256').update(later).digest('hex').slice(0, 12)}-day.xml`
  assert.deepEqual((await ordered(longName, 'accept')).map(({ reference }) => reference).includes(second), true)
  assert.deepEqual([refused().length, await rows()], [1, ['refused', 'accepted', 'taken']])
  // Both files in done/ had one name: an order is about the bytes.
  assert.deepEqual(await ordered(longName, 'read'), [])
  assert.deepEqual(await own.ctx.db.sql`select id from iso20022_files where wanted is not null`, [])
  for (const name of refused()) rmSync(join(own.folder, 'in/refused', name))
  await own.round()
  assert.deepEqual(await rows(), ['accepted', 'taken'])
  await own.close()
})

const refusedIn = ({ folder }: BankWorld): string[] => readdirSync(join(folder, 'in/refused'))

test('a file that is too large ends its alarm once it is accepted', async () => {
  const own = await openBankWorld()
  const path = join(own.folder, 'in/large.xml')
  writeFileSync(path, '')
  truncateSync(path, 512 * 1024 * 1024 + 1)
  await own.round()
  const row = async () => (await listBankFiles(own.ctx.db))[0] ?? assert.fail()
  assert.equal((await row()).why, `The file is too large. ${unreadable}`)
  assert.deepEqual(await acceptFile(own, 'large.xml'), [])
  assert.deepEqual([(await row()).state, refusedIn(own)], ['accepted', []])
  await own.close()
})

test('a file that cannot be read says that nothing of it can be booked, and its alarm ends once it is accepted', async () => {
  const own = await openBankWorld()
  const row = async () => (await listBankFiles(own.ctx.db))[0] ?? assert.fail()
  own.outside.drop('odd.xml', '<odd/>')
  await own.round()
  assert.equal((await row()).state, 'refused')
  assert.ok((await row()).why.endsWith(unreadable))
  assert.deepEqual(await acceptFile(own, 'odd.xml'), [])
  assert.equal((await row()).state, 'accepted')
  assert.match((await row()).why, /None of it is booked\.$/)
  assert.deepEqual(await listNeeds(own.ctx), [])
  assert.deepEqual([readdirSync(join(own.folder, 'in/done')), refusedIn(own)], [['odd.xml'], []])
  // The same bytes once more are no news.
  own.outside.drop('odd.xml', '<odd/>')
  assert.deepEqual([await own.round(), await listNeeds(own.ctx)], [[], []])
  await own.close()
})

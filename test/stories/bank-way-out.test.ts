import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import {
  acceptBankFile,
  isBankFileAccepted,
  rereadBankFile,
  skipStatements,
  whyNotIgnored,
} from '../../src/exchange/operations/bank-files.ts'
import { operatorSubject } from '../../src/exchange/operators/operator.ts'
import { createToken } from '../../src/exchange/operators/token.ts'
import { lockBankFile } from '../../src/rails/iso20022/files.ts'
import { missingNumbers } from '../../src/rails/iso20022/troubles.ts'
import { type BankExchange, startBankExchange } from '../support/bank-exchange.ts'
import { camt, ourIban } from '../support/camt.ts'
import { type CommandLine, commandLineOf } from '../support/command.ts'
import type { Exchange } from '../support/exchange.ts'
import type { FolderBank } from '../support/folder-bank.ts'
import { arrive, lookup, read } from '../support/journey.ts'
import { someone } from '../support/signing.ts'
import { stopMarket } from '../support/still-market.ts'
import { formSender } from '../support/send-forms.ts'
import { makeOperators, staffBrowser } from '../support/staff-browser.ts'
import { until } from '../support/telling.ts'
import { projectFolder } from '../support/source.ts'

let story: BankExchange
let exchange: Exchange
let bank: FolderBank
let line: CommandLine
let awaited: BankExchange['awaited']
let taken: BankExchange['taken']

before(async () => {
  story = await startBankExchange({ more: ', ignore: ["33333333"]' })
  ;({ exchange, bank, line, awaited, taken } = story)
  stopMarket(exchange)
})
after(() => story.stop())

/** Sends a file of test/vectors/bank, and waits until it is read. */
async function send(name: string, reference: string): Promise<void> {
  const text = readFileSync(join(projectFolder, 'test/vectors/bank', `${name}.xml`), 'utf8')
  bank.drop(`${name}.xml`, text.replaceAll('{{REFERENCE}}', reference))
  await taken()
}

type FileRow = {
  file: string
  state: string
  why: string
  account: string | null
  number: string | null
  entries: number
}
const files = async (): Promise<FileRow[]> => await line.told<FileRow[]>('bank', 'file', 'list')
const fileOf = async (name: string): Promise<FileRow | undefined> =>
  (await files()).find(({ file }) => file === `${name}.xml`)

describe('a statement that cannot be booked', () => {
  it('waits until two operators accept it, and is credited then', async () => {
    const { ctx } = exchange.service.composition
    const [first, second] = [await awaited(), await awaited()]
    await send('monday-053', first.reference)
    await arrive(exchange, first.id, 'finished')
    await send('opening-differs', second.reference)
    await until(async () => (await fileOf('opening-differs'))?.state === 'refused', 'the refusal')
    const row = await fileOf('opening-differs')
    assert.deepEqual([row?.account, row?.number, row?.entries], [ourIban, '239', 1])
    assert.match(row?.why ?? '', /opens with 5202\.99 EUR, but the last one closed with 5400 EUR/)
    assert.equal((await read(exchange, second.id)).status, 'waiting_for_deposit')

    const [ann, bob] = [await someone(ctx), await someone(ctx)]
    const file = { name: 'opening-differs.xml' }
    const reason = 'The bank charged the account by phone.'
    const by = (one: typeof ann) => ({ actor: operatorSubject(one), reason })
    await assert.rejects(acceptBankFile(ctx, file, { actor: 'cli:test', reason: ' ' }), { code: 'BAD_REQUEST' })
    assert.equal((await acceptBankFile(ctx, file, by(ann))).accepted, false)
    await assert.rejects(acceptBankFile(ctx, file, by(ann)), { code: 'CONFLICT' })
    await rereadBankFile(ctx, file, by(ann))
    assert.equal((await read(exchange, second.id)).status, 'waiting_for_deposit')
    assert.equal((await acceptBankFile(ctx, file, by(bob))).accepted, true)
    await arrive(exchange, second.id, 'finished')
    assert.equal((await fileOf('opening-differs'))?.state, 'accepted')
  })

  it('only has its alarm end where it cannot be read: that is no approval of what it says', async () => {
    const { ctx } = exchange.service.composition
    bank.drop('odd.xml', '<odd/>')
    await until(async () => (await fileOf('odd'))?.state === 'refused', 'the refusal')
    const file = (await ctx.db.atomic((db) => lockBankFile(db, { name: 'odd.xml' }))) ?? assert.fail()
    for (const one of [await someone(ctx), await someone(ctx)])
      await acceptBankFile(ctx, file, { actor: operatorSubject(one), reason: 'It is a picture.' })
    await until(async () => (await fileOf('odd'))?.state === 'accepted', 'the end of the alarm')
    const isAccepted = (isReadable: boolean) => isBankFileAccepted(ctx, ctx.db, { ...file, is_readable: isReadable })
    assert.deepEqual([await isAccepted(false), await isAccepted(true)], [true, false])
  })

  it('is accepted and read again by command', async () => {
    const { reference } = await awaited()
    await send('two-accounts-one-ours', reference)
    const accepted = await line.told<{ approvals: number }>(
      'bank',
      'accept',
      'two-accounts-one-ours.xml',
      '--reason',
      'Our old account.',
    )
    assert.equal(accepted.approvals, 1)
    const again = await line.told('bank', 'read', 'two-accounts-one-ours.xml', '--reason', 'It is ignored now.')
    assert.deepEqual(again, { file: 'two-accounts-one-ours.xml', read_again: true })
  })
})

describe('an account that is not ours', () => {
  const theirs = 'DE75512108001245126199'
  const reason = 'It is of our sister company.'
  const ignore = (account: string) => line.cambio('bank', 'ignore', account, '--rail', 'bank-1', '--reason', reason)
  const statesOf = async (): Promise<string[]> =>
    (await files()).filter(({ account }) => account === theirs).map(({ file, state }) => `${file} ${state}`)

  it('is left alone when a person says so: in the files that wait because of it, and in later ones', async () => {
    const other = (id: string, number: number): string =>
      camt({ id, number, iban: theirs, opening: '10.00', closing: '10.00', entries: [] })
    bank.drop('theirs-1.xml', other('T-1', 18))
    const waits = ['theirs-1.xml refused', 'two-accounts-one-ours.xml refused']
    await until(async () => (await statesOf()).toSorted().join() === waits.join(), 'the files')

    assert.match((await ignore('DE89370400440532013000')).err, /No file of bank-1 waits because of the account/)
    assert.deepEqual(await line.told('bank', 'ignore', theirs, '--rail', 'bank-1', '--reason', reason), {
      rail: 'bank-1',
      account: theirs,
      files_read_again: 2,
    })
    await until(async () => (await statesOf()).every((one) => one.endsWith(' taken')), 'the files to be read again')
    bank.drop('theirs-2.xml', other('T-2', 19))
    await until(async () => (await statesOf()).includes('theirs-2.xml taken'), 'the next file')
    assert.match((await ignore(theirs)).err, /No file of bank-1 waits because of the account/)
  })

  it('is not left alone any more when a person says so: in the files that were passed over, and in later ones', async () => {
    const include = ['bank', 'include', theirs, '--rail', 'bank-1', '--reason', 'It is ours after all.']
    const passed = (await statesOf()).length
    const done = { rail: 'bank-1', account: theirs, files_read_again: passed }
    assert.deepEqual(await line.told(...include), done)
    await until(async () => (await statesOf()).every((one) => one.endsWith(' refused')), 'the files to be read again')
    bank.drop(
      'theirs-3.xml',
      camt({ id: 'T-3', number: 20, iban: theirs, opening: '10.00', closing: '10.00', entries: [] }),
    )
    await until(async () => (await statesOf()).includes('theirs-3.xml refused'), 'the next file')
    assert.match((await line.cambio(...include)).err, /No person has said/)
    const [audited] = await lookup(exchange, 'select after from audit where action = $1', ['bank_account.included'])
    assert.deepEqual(audited?.after, { account_ends: '6199', reason: 'It is ours after all.' })
    assert.equal((await ignore(theirs)).exitCode, 0, 'it can be ignored again')
    await until(async () => (await statesOf()).every((one) => one.endsWith(' taken')), 'the files to be passed over')
  })

  it('may have no IBAN: the configuration names its other id, or a person does', async () => {
    const drop = (id: string, other: string, number: number): void => {
      const entry = { amount: '10.00', payments: [{ remittance: `Of ${other}`, amount: '10.00' }] }
      bank.drop(`${id}.xml`, camt({ id, other, number, opening: '0.00', closing: '10.00', entries: [entry] }))
    }
    const stateOf = async (name: string) => (await fileOf(name))?.state
    const outcomeOf = async (name: string) => {
      await until(async () => (await stateOf(name)) !== undefined, name)
      return stateOf(name)
    }
    drop('by-file', '33333333', 4)
    assert.equal(await outcomeOf('by-file'), 'taken')
    drop('by-command', '22222222', 4)
    assert.equal(await outcomeOf('by-command'), 'refused')
    assert.equal((await fileOf('by-command'))?.account, '22222222')
    const done = await line.told('bank', 'ignore', '22222222', '--rail', 'bank-1', '--reason', reason)
    assert.deepEqual(done, { rail: 'bank-1', account: '22222222', files_read_again: 1 })
    await until(async () => (await stateOf('by-command')) === 'taken', 'the file to be read again')
    drop('later', '22222222', 5)
    assert.equal(await outcomeOf('later'), 'taken')
    const texts = (await line.told<{ text: string }[]>('suspense', 'list')).map(({ text }) => text)
    assert.ok(!texts.some((text) => /Of [23]{8}/.test(text)), 'nothing of these accounts is booked')
  })

  it('is not one whose statements are booked', async () => {
    const { ctx } = exchange.service.composition
    assert.match((await whyNotIgnored(ctx, { rail: 'bank-1', account: ourIban })) ?? '', /its money is ours/)
  })
})

describe('a number that will not come', () => {
  it('is skipped: one of several, or a jump as a whole', async () => {
    const { ctx } = exchange.service.composition
    const missing = async (): Promise<string[]> =>
      (await missingNumbers(ctx.db, new Date('2100-01-01'))).map(({ rail, first, last }) => `${rail} ${first}-${last}`)
    const date = '2026-12-12'
    bank.drop(
      'jump.xml',
      camt({ id: 'J', number: 2_026_346, date, opening: '5302.99', closing: '5302.99', entries: [] }),
    )
    await until(async () => (await missing()).length > 0, 'the gap')
    const before = await missing()
    assert.deepEqual(before, ['bank-1 240-2026345'])
    const order = { actor: 'cli:test', reason: 'The bank has changed its numbers.' }
    for (const id of before) {
      const [rail = '', numbers = ''] = id.split(' ')
      const [first = '', last] = numbers.split('-')
      const done = await line.told('bank', 'skip', first, '--rail', rail, '--reason', order.reason)
      assert.deepEqual(done, { rail, first, last })
    }
    assert.deepEqual(await missing(), [])
    await assert.rejects(skipStatements(ctx, { rail: 'bank-1', numbers: '7' }, order), { code: 'NOT_FOUND' })
    await assert.rejects(skipStatements(ctx, { rail: 'bank-1', numbers: 'x' }, order), { code: 'BAD_REQUEST' })
  })
})

describe('money in suspense', () => {
  it('names its payer, text and day, and the orders that it may be for', async () => {
    const { id, reference } = await awaited()
    const mistyped = `${reference.slice(0, -2)}${reference.endsWith('XX') ? 'BB' : 'XX'}`
    const payer = { name: 'Lena Vogt', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' }
    const entry = {
      amount: '100.00',
      date: '2026-12-20',
      payments: [{ remittance: `Order ${mistyped}`, amount: '100.00', payer }],
    }
    bank.drop('mistyped.xml', camt({ kind: '054', id: 'N-9', entries: [entry] }))
    type Row = {
      payer: string
      account: string
      text: string
      booked_on: string
      candidates: { transaction_id: string; why: string }[]
    }
    const rows = async (): Promise<Row[]> => await line.told<Row[]>('suspense', 'list')
    await until(async () => (await rows()).some(({ text }) => text.includes(mistyped)), 'the suspense')
    const row = (await rows()).find(({ text }) => text.includes(mistyped))
    assert.deepEqual([row?.payer, row?.account, row?.booked_on], ['Lena Vogt', payer.iban, '2026-12-20'])
    assert.deepEqual(row?.candidates[0], { transaction_id: id, why: 'reference and amount' })
  })
})

describe('a file that one operator has accepted', () => {
  it('is asked for on the first page of the others, and is read as it is once one of them agrees there', async () => {
    const wrong = camt({ id: 'WRONG', number: 2_026_350, opening: '0.00', closing: '250.01', entries: [] })
    bank.drop('wrong.xml', wrong)
    await until(async () => (await fileOf('wrong'))?.state === 'refused', 'the refusal')
    await line.told('bank', 'accept', 'wrong.xml', '--reason', 'It is ours.')

    await makeOperators(exchange)
    const browser = staffBrowser(() => exchange)
    const forms = formSender(browser)
    const finance = await browser.as('finance')
    const row = 'data-cause="bank file" data-subject="bank-1 wrong.xml"'
    const isAsked = async () => (await browser.ask('/console', { cookie: finance })).body.includes(row)
    assert.ok(await isAsked())
    const path = '/console/money'
    const ids = (await forms.formsOf(path, finance, 'accept')).map(({ file }) => file)
    const about = ids[0] ?? assert.fail('no form')
    assert.match(
      await forms.send(path, finance, { action: 'accept', about, reason: 'Ours.' }),
      /wrong\.xml is read as it is/,
    )
    await until(async () => (await fileOf('wrong'))?.state === 'accepted' && !(await isAsked()), 'the file')
  })

  it('is read as it is by the commands of two operators, and what it has of an order is credited then', async () => {
    const { ctx } = exchange.service.composition
    const { id, reference } = await awaited()
    const entry = { amount: '100.00', payments: [{ remittance: reference, amount: '100.00' }] }
    const balances = { opening: '5302.99', closing: '5412.99' }
    bank.drop('off.xml', camt({ id: 'OFF', number: 2_026_347, date: '2026-12-13', ...balances, entries: [entry] }))
    await until(async () => (await fileOf('off'))?.state === 'refused', 'the refusal')
    const commandsOf = async (): Promise<CommandLine> => {
      const { text } = await createToken(ctx, (await someone(ctx)).email, 'test')
      return commandLineOf(exchange, { CONFIG_FILE: join(story.folder, 'exchange.yaml'), OPERATOR_TOKEN: text })
    }
    const accept = ['bank', 'accept', 'off.xml', '--reason', 'The bank kept ten by phone.']
    const [ann, bob] = [await commandsOf(), await commandsOf()]
    assert.deepEqual(await ann.told(...accept), { file: 'off.xml', accepted: false, approvals: 1, needed: 2 })
    assert.match((await ann.cambio(...accept)).err, /You have approved this already/)
    assert.equal((await read(exchange, id)).status, 'waiting_for_deposit')
    const second = await bob.told<{ accepted: boolean }>(...accept)
    assert.equal(second.accepted, true)
    await until(async () => (await fileOf('off'))?.state === 'accepted', 'the file')
    assert.equal((await arrive(exchange, id, 'finished')).from_amount, '100')
  })
})

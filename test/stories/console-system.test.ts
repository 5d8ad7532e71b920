import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { allActions } from '../../src/exchange/actions/all.ts'
import { permissionsOf, roles } from '../../src/exchange/operators/roles.ts'
import { listKeys } from '../../src/exchange/operators/operator-keys.ts'
import { createToken, listTokens } from '../../src/exchange/operators/token.ts'
import { countWrongPasskey } from '../../src/exchange/sign-in/limits.ts'
import { haltCrediting } from '../../src/exchange/settlement/halts.ts'
import { readHalts } from '../../src/rails/halts.ts'
import { setPartner } from '../../src/exchange/partners/change.ts'
import { bankAccount, callsOf, ibanOf, made, wallet, walletOf } from '../support/b2b.ts'
import { commandLineOf } from '../support/command.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { bookBalance, lookup } from '../support/journey.ts'
import { formSender } from '../support/send-forms.ts'
import { keyHolder } from '../support/signing.ts'
import { createPortalUser } from '../../src/exchange/partners/portal-users.ts'
import { signInAtPortal } from '../../src/exchange/partners/portal-sessions.ts'
import { makeOperators, password, staffBrowser } from '../support/staff-browser.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  await makeOperators(exchange)
})
after(() => exchange.stop())

const ctx = () => exchange.service.composition.ctx
const browser = staffBrowser(() => exchange)
const { as } = browser
const { formsOf, send } = formSender(browser)

describe('the page of the system', () => {
  const path = '/console/system'

  it('credits again on a rail that halted by itself, once and for administrators only', async () => {
    const halt = { rail: 'sandbox-btc', since: ctx().clock.now(), reason: 'A final deposit is gone.' }
    await ctx().db.atomic((db) => Promise.resolve(haltCrediting(db, halt)))
    assert.deepEqual(await formsOf(path, await as('support'), 'credit'), [])
    const admin = await as('admin')
    const credit = { action: 'credit', about: 'sandbox-btc', reason: 'The chain has it again.' }
    assert.match(await send(path, admin, credit), /What comes by sandbox-btc is credited again\./)
    assert.deepEqual(await readHalts(ctx().db), [])
    assert.deepEqual(await formsOf(path, admin, 'credit'), [], 'it is not halted any more')
  })

  it('lists what is done by command only, and why', async () => {
    const { body } = await browser.ask(path, { cookie: await as('support') })
    for (const { subject, name, noForm } of allActions.flatMap(([, actions]) => actions)) {
      if (noForm === undefined) continue
      assert.ok(body.includes(noForm), `${subject.noun} ${name}`)
    }
    assert.match(body, /cambio key rotate-master/)
  })

  it('halts a rail and an asset, and resumes each with two operators', async () => {
    const [finance, admin] = [await as('finance'), await as('admin')]
    for (const [scope, name] of [
      ['rail', 'sandbox-btc'],
      ['asset', 'BTC-BTC'],
    ] as const) {
      const said = await send(path, finance, { action: 'halt', scope, name, reason: 'A drill.' })
      assert.match(said, new RegExp(`Halted: ${scope} ${name}\\.`))
      const resume = { action: 'resume', about: name, reason: 'The drill is over.' }
      assert.match(await send(path, finance, resume), /Another operator must resume it, too/)
      assert.match(await send(path, admin, resume), new RegExp(`Resumed: ${scope} ${name}\\.`))
    }
    assert.deepEqual(await readHalts(ctx().db), [])
  })

  it('opens a restored exchange', async () => {
    await lookup(
      exchange,
      `insert into halts (scope, since, reason, halted_by) values ('restored', now(), 'The database is older.', 'system')`,
    )
    const admin = await as('admin')
    const open = { action: 'open', reason: 'The list was compared.' }
    assert.match(await send(path, admin, open), /The exchange is open\./)
    assert.deepEqual(await readHalts(ctx().db), [])
  })
})

describe('the page of the money', () => {
  const path = '/console/money'

  it('books an opening balance and a charge, adds a rule and ends it, closes a day', async () => {
    const finance = await as('finance')
    const books = { account: 'card-processor', asset: 'EUR-EUR', reason: 'As the statement says.' }
    const balance = () => bookBalance(exchange, 'held:card-processor', 'EUR-EUR')
    const was = await balance()
    const opened = await send(path, finance, { action: 'open-balance', ...books, amount: '1000' })
    assert.match(opened, /It is booked\./)
    await send(path, finance, { action: 'book-charge', ...books, amount: '12.50' })
    assert.equal(await balance(), was + 98_750n)

    const rule = { action: 'add-rule', party: 'Telephone Company', as: 'expense', most: '80', reason: 'Each month.' }
    assert.match(await send(path, finance, rule), /The rule holds from now on\./)
    const [{ id } = { id: 0n }] = await lookup<{ id: bigint }>(exchange, 'select id from own_money_rules')
    const end = { action: 'end-rule', about: String(id), reason: 'Another company.' }
    assert.match(await send(path, finance, end), /The rule has ended\./)
    assert.deepEqual(await formsOf(path, finance, 'end-rule'), [])

    const day = new Date(ctx().clock.now().getTime() - 86_400_000).toISOString().slice(0, 10)
    assert.match(await send(path, finance, { action: 'close', day }), new RegExp(`The day ${day} is closed\\.`))
    assert.deepEqual(await formsOf(path, await as('viewer'), 'open-balance'), [], 'who only looks has no form')
  })
})

describe('the page of the team', () => {
  const path = '/console/team'

  it('revokes a token, and makes none: it would outlive the session that made it', async () => {
    const admin = await as('admin')
    const made = await createToken(ctx(), 'finance@example.com', 'cli:test')
    const { cambio } = commandLineOf(exchange, { OPERATOR_TOKEN: made.text })
    const break1 = ['break', 'resolve', '1', '--reason', 'A test.']
    assert.match((await cambio(...break1)).err, /There is no such break/)
    const tried = await browser.press(path, admin, { action: 'token', email: 'finance@example.com' })
    assert.equal(tried.status, 400)
    assert.equal((await listTokens(ctx())).length, 1)
    await send(path, admin, { action: 'revoke-token', about: String(made.token.id) })
    assert.match((await cambio(...break1)).err, /token/i)
  })

  it('says of every permission which actions need it, and which roles have it, as the actions are', async () => {
    const { body } = await browser.ask(path, { cookie: await as('admin') })
    const [, table = ''] = /Permissions, and who has them<\/caption>([^]*?)<\/table>/.exec(body) ?? []
    const rows = [...table.matchAll(/<tr>([^]*?)<\/tr>/g)].slice(1).map(([, row = '']) => {
      const [permission = '', actions = '', may = ''] = [...row.matchAll(/<t[dh]\b[^>]*>([^]*?)<\/t[dh]>/g)].map(
        ([, cell = '']) => cell,
      )
      const lines = [...actions.matchAll(/<div>([^<]*)<\/div>/g)].map(([, line = '']) => line.replaceAll('&#39;', "'"))
      return [permission, { lines, may }] as const
    })
    const shown = new Map<string, (typeof rows)[number][1]>(rows)
    const wanted = new Map<string, string[]>()
    for (const [about, actions] of allActions)
      for (const permission of new Set(actions.map((one) => one.permission))) {
        const titles = actions.filter((one) => one.permission === permission).map(({ title }) => title)
        wanted.set(permission, [...(wanted.get(permission) ?? []), `${about}: ${titles.join(', ')}`])
      }
    assert.deepEqual([...shown.keys()], [...new Set(roles.flatMap((one) => [...permissionsOf[one]]))].toSorted())
    for (const permission of wanted.keys()) assert.ok(shown.has(permission), permission)
    for (const [permission, { lines, may }] of shown) {
      assert.deepEqual(lines, wanted.get(permission) ?? [], permission)
      const having = roles.filter((one) => [...permissionsOf[one]].some((own) => own === permission))
      assert.equal(may, having.join(', '), permission)
    }
  })

  it('lets no administrator end the key of another, who then could be replaced as the second pair of eyes', async () => {
    const key = await keyHolder(ctx())
    const tried = await browser.press('/console/passkeys', await as('admin'), {
      action: 'end-key',
      key: String(key.id),
    })
    assert.equal(tried.status, 400)
    assert.equal((await listKeys(ctx())).find(({ id }) => id === key.id)?.endedAt, null)
  })
})

describe('the page of a partner', () => {
  it('sends a link to the only administrator who lost the passkey, and access changes only when it is used', async () => {
    const partnerId = BigInt(exchange.sandbox.partner_id)
    const [email, path] = ['alone@one.example', `/console/partners/${partnerId}`]
    await createPortalUser(ctx(), { partnerId, email, password, role: 'admin' }, 'cli:test')
    const signIn = () => signInAtPortal(ctx(), { email, password, device: undefined, network: '203.0.113.0' })
    const reset = async (whom: string) => browser.press(path, await as('admin'), { action: 'reset', email: whom })
    assert.match((await reset(email)).body, /\/portal\/invitation\/[\w-]{40}/)
    await signIn()
    const [{ before } = { before: 0 }] = await lookup<{ before: number }>(
      exchange,
      `select count(*)::int as before from audit where action in ('portal_user.reset', 'portal_user.signed_in')`,
    )
    assert.equal(before, 2)
    assert.match((await reset('nobody@one.example')).body, /There is nobody with/)
  })

  it('shows what a payout address is before it is approved', async () => {
    const { addBank, addWallet } = callsOf(exchange)
    const partner = exchange.sandbox.partner_id
    await setPartner(ctx(), BigInt(partner), { b2b_approval: 'on' }, 'cli:test')
    await made(addBank(bankAccount('shown')))
    await made(addWallet(wallet('shown')))
    const { body } = await browser.ask(`/console/partners/${partner}`, { cookie: await as('admin') })
    const iban = ibanOf('shown')
    for (const fact of [walletOf('bitcoin', 'shown'), 'Treasury GmbH', 'SBBKDEF0XXX', iban.slice(0, 4), iban.slice(-4)])
      assert.ok(body.includes(fact), fact)
    assert.ok(!body.includes(iban), 'of an account both ends are enough to compare')
  })
})

it('what no passkey has signed is counted by network', async () => {
  const limited = { ...ctx(), config: { ...ctx().config, rateLimits: { ...ctx().config.rateLimits, on: true } } }
  const from = (network: string) => countWrongPasskey(limited, network)
  for (let use = 1; use <= 200; use += 1) await from('198.51.100.0')
  await assert.rejects(from('198.51.100.0'), { code: 'RATE_LIMITED' })
  await from('198.51.101.0')
})

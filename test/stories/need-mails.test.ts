import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'

import { readMailbox } from '../../src/exchange/mail/mailbox.ts'
import { mailNeeds } from '../../src/exchange/needs/mail-needs.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { buy, lookup } from '../support/journey.ts'
import { onTheirWay } from '../support/need-plants-money.ts'
import { makeOperators, staffBrowser } from '../support/staff-browser.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  await makeOperators(exchange)
  await buy(exchange, { to_currency: 'USDT', to_network: 'TRX' })
})
after(() => exchange.stop())

const ctx = () => exchange.service.composition.ctx
const { ask, as, press } = staffBrowser(() => exchange)

/** Looks as if it were another time. */
const lookAt = (time: string) =>
  mailNeeds({ ...ctx(), clock: { ...ctx().clock, realNow: () => new Date(`2031-05-${time}:00Z`) } })

/** What was mailed to an address since the last time that was asked, each as its subject and text. */
let known = 0
async function mailed(to: string): Promise<string[]> {
  const all = (await readMailbox(ctx(), { to })).toReversed()
  const fresh = all.slice(known).map(({ subject, text }) => `${subject}\n${text}`)
  known = all.length
  return fresh
}

it('an operator who asks for e-mails gets one about each thing that lasts, at night only about what is urgent, and again if it comes back', async () => {
  const [finance, email] = [await as('finance'), 'finance@example.com']
  const ask24 = { action: 'need-mail', about: 'today', time_zone: 'Europe/Berlin' }
  assert.equal((await press('/console/account', finance, { ...ask24, time_zone: 'Mars/Base' })).status, 400)
  assert.equal((await press('/console/account', finance, ask24)).status, 303)
  assert.match((await ask('/console/account', { cookie: finance })).body, /value="Europe\/Berlin"/)
  await exchange.service.composition.ctx.queue.stop()
  await lookup(exchange, `delete from jobs where kind = 'need_mail.due'; delete from need_notices`)

  // Begun a while ago: the database's clock may be ahead of ours, and what begins later than now is no need yet.
  const halt = `insert into halts (scope, name, since, reason) values ('rail', 'sandbox-btc', now() - interval '1 minute', 'A drill.')`
  await lookup(exchange, halt)
  await lookup(
    exchange,
    `insert into market_halts (pair, since, actor, reason) values ('BTC/EUR', now() - interval '1 minute', 'cli:root', 'a test')`,
  )
  // 03:00 in Berlin.
  assert.equal(await lookAt('01T01:00'), 1)
  assert.deepEqual(await mailed(email), [], 'much is over within seconds')
  await lookAt('01T01:03')
  const [urgent, ...none] = await mailed(email)
  assert.match(urgent ?? '', /^Nothing is credited or paid by sandbox-btc: A drill\./)
  assert.doesNotMatch(urgent ?? '', /BTC\/EUR/)
  assert.deepEqual(none, [])
  await lookAt('01T01:10')
  assert.deepEqual(await mailed(email), [], 'once')
  // 08:00 in Berlin.
  await lookAt('01T06:00')
  assert.match((await mailed(email)).join(), /^BTC\/EUR is halted: a test\./)

  await lookup(exchange, 'delete from halts')
  await lookAt('01T06:05')
  await lookup(exchange, halt)
  await lookAt('01T06:06')
  await lookAt('01T06:09')
  assert.match((await mailed(email)).join(), /^Nothing is credited or paid by sandbox-btc/, 'it came back')

  assert.equal((await press('/console/account', finance, { ...ask24, about: 'off' })).status, 303)
  assert.equal(await lookAt('01T09:00'), 0)
  assert.deepEqual(await lookup(exchange, 'select * from need_notices'), [])
})

it('an operator is mailed what their role is shown, be it found as something that another role must do, too', async () => {
  const [support, email] = [await as('support'), 'support@example.com']
  const wanted = { action: 'need-mail', about: 'today', time_zone: 'Europe/Berlin' }
  assert.equal((await press('/console/account', support, wanted)).status, 303)
  const waiting = onTheirWay.find(({ found }) => found === 'approval payout') ?? assert.fail('no plant')
  await lookup(exchange, waiting.change)
  known = (await readMailbox(ctx(), { to: email })).length
  await lookAt('02T08:00')
  await lookAt('02T08:03')
  assert.match((await mailed(email)).join(), /Order \d+ is on hold\. /)
})

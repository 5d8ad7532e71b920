import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { acceptBankFile } from '../../src/exchange/operations/bank-files.ts'
import { confirmDatabaseBackup, confirmKeyBackup } from '../../src/exchange/operations/backups.ts'
import { bookOwnMoney, listUnbookedDebits } from '../../src/exchange/operations/own-money.ts'
import { countersignKey } from '../../src/exchange/operators/operator-keys.ts'
import { listNeeds } from '../../src/exchange/needs/list-needs.ts'
import { sendMail } from '../../src/exchange/mail/send.ts'
import { listBalances } from '../../src/exchange/treasury/balances.ts'
import { addEndpoint, changeEndpoint } from '../../src/exchange/webhooks/manage-endpoints.ts'
import { formatAmount } from '../../src/platform/money/amount.ts'
import { bookedAsset } from '../../src/reference/catalog/sync-assets.ts'
import { bankAccount, callsOf } from '../support/b2b.ts'
import { camt, ourIban } from '../support/camt.ts'
import { commandLineOf } from '../support/command.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { FolderBank } from '../support/folder-bank.ts'
import { advance, buy, create, lookup, pay, readyToPay } from '../support/journey.ts'
import { mailServer } from '../support/mail-server.ts'
import { needsOf } from '../support/needed.ts'
import { keyHolder } from '../support/signing.ts'
import { startReceiver, until } from '../support/telling.ts'
import { startFakeVenue } from '../support/venues/fake-venue.ts'

const folder = mkdtempSync(join(tmpdir(), 'cambio-needs-'))
const file = join(folder, 'exchange.yaml')
const why = { reason: 'A test asks for it.', actor: 'cli:test' }
let exchange: Exchange
let bank: FolderBank
let mails: Awaited<ReturnType<typeof mailServer>>
before(async () => {
  writeFileSync(
    file,
    `rails:
  - { kind: iso20022, name: bank-1, in: ./in, out: ./out, every: PT0.2S, serves: [SEPA],
      accounts: [{ currency: EUR, iban: ${ourIban}, bic: BYLADEM1001, holder: Example Ltd }] }
`,
  )
  mails = await mailServer()
  exchange = await startExchange({ RATE_LIMITS: 'off', CONFIG_FILE: file, SMTP_URL: mails.url, LOG_LEVEL: 'fatal' })
  bank = new FolderBank(folder, 0n)
})
after(async () => {
  await exchange.stop()
  await mails.close()
  rmSync(folder, { recursive: true, force: true })
})

const ctx = () => exchange.service.composition.ctx
const { begins, ends } = needsOf(() => exchange, { CONFIG_FILE: file })

/** Runs something as if it were another real time. */
async function at<Done>(shiftMs: number, work: () => Promise<Done>): Promise<Done> {
  const { clock } = ctx()
  const { realNow } = clock
  Object.assign(clock, { realNow: () => new Date(realNow().getTime() + shiftMs) })
  try {
    return await work()
  } finally {
    Object.assign(clock, { realNow })
  }
}
const hours = 3_600_000

describe('somebody is needed, and told so on the first page and by command, for as long as it lasts:', () => {
  it('where the last backup is too old', async () => {
    await at(-27 * hours, () => confirmDatabaseBackup(ctx(), why))
    await begins('backup old', /^The last confirmed backup of the database is too old\./)
    await confirmDatabaseBackup(ctx(), why)
    await ends('backup old')
  })

  it('where no backup was ever confirmed, and nobody has checked the copy of the key', async () => {
    await lookup(
      exchange,
      `delete from confirmed_backups; update schema_migrations set applied_at = now() - interval '2 d'`,
    )
    const { environment } = ctx().config
    ctx().config.environment = { ...environment, demandsSafeguards: true }
    await begins('backup never', /^No backup of the database was ever confirmed\./, 'home')
    await begins('backup key', /^Nobody has checked that there is a copy of the master key\./, 'home')
    await confirmDatabaseBackup(ctx(), why)
    await confirmKeyBackup(ctx(), join(exchange.dataDir, 'master.key'), why)
    await ends('backup never', 'home')
    await ends('backup key', 'home')
    ctx().config.environment = environment
  })

  it('where the key of an operator waits until another one has countersigned it', async () => {
    const { environment } = ctx().config
    ctx().config.environment = { ...environment, operatorKeys: true }
    const [first, second] = [await keyHolder(ctx()), await keyHolder(ctx())]
    await begins('approval operator key', /^A key of signer\d+@example\.com counts once it is countersigned\. /, 'home')
    await countersignKey(ctx(), second.id, first.operator, first.sign)
    await ends('approval operator key', 'home')
    ctx().config.environment = environment
  })

  it('where a partner wants to be paid at an address that an operator must approve', async () => {
    const { told } = commandLineOf(exchange)
    const own = ['--partner', exchange.sandbox.partner_id]
    await told('partner', 'set', ...own, 'b2b_approval=on')
    await told('feature', 'on', 'b2b', ...own)
    const { status, body } = await callsOf(exchange).addBank(bankAccount('a new account'))
    assert.equal(status, 201, JSON.stringify(body))
    await begins('approval payout address', / wants to be paid at a new address\. /)
    await told('b2b', 'approve', body.id)
    await ends('approval payout address')
  })

  /** An endpoint of the sandbox's partner: `answer` is the status that it answers with. */
  async function startEndpoint(t: Parameters<typeof startReceiver>[0], answer: number) {
    const receiver = await startReceiver(t)
    const { endpoint } = await addEndpoint(
      ctx(),
      { partnerId: BigInt(exchange.sandbox.partner_id), url: receiver.url },
      'test',
    )
    const { id } = endpoint
    const answers = (status: number) => (receiver.answer = (_request, response) => response.writeHead(status).end())
    answers(answer)
    const rowsOf = <Row extends object>(select: string) => lookup<Row>(exchange, `${select} = $1`, [String(id)])
    const waiting = async () => (await rowsOf('select 1 from webhook_queue where endpoint_id')).length
    return {
      receiver,
      answers,
      waiting,
      set: (status: 'active' | 'paused') => changeEndpoint(ctx(), { id }, { status }, 'test'),
      /** Moves the clock until it has a status. */
      becomes: (wanted: string, step: string) =>
        until(async () => {
          await advance(exchange, step)
          const [own] = await rowsOf<{ status: string }>('select status from webhook_endpoints where id')
          return own?.status === wanted
        }, `the endpoint to be ${wanted}`),
      /** Waits until its need names as many events as wait for it, and at least so many. Orders that end meanwhile have events of their own. */
      untaken: (least: number) =>
        until(async () => {
          const count = await waiting()
          const said = `Events that it has not taken: ${count}. `
          return count >= least && (await listNeeds(ctx())).some(({ sentence }) => sentence.includes(said))
        }, 'the number of events that wait'),
    }
  }

  it('where an endpoint of a partner has gone, until it is there again', async (t) => {
    const { answers, set } = await startEndpoint(t, 410)
    await create(exchange)
    await begins('endpoint disabled', /gets no webhooks any more: it refused them for too long/)
    answers(204)
    await set('active')
    await ends('endpoint disabled')
    await set('paused')
  })

  it('where an endpoint of a partner accepts nothing for days, with how many events it has not taken', async (t) => {
    const { receiver, answers, set, becomes, untaken } = await startEndpoint(t, 500)
    for (let made = 0; made < 2; made += 1) await create(exchange)
    await receiver.got(2)
    await becomes('failing', 'PT1H')
    await untaken(2)
    await begins('endpoint failing', /does not accept our webhooks\. Events that it has not taken: \d+\. /)
    await create(exchange)
    await becomes('disabled', 'PT12H')
    await begins('endpoint disabled', /gets no webhooks any more: .* Events that it has missed: [3-9]\d*\. /)
    answers(204)
    await set('active')
    await ends('endpoint disabled')
    await set('paused')
  })

  it('where an endpoint of a partner accepts nothing after a pause, with what happened in the pause', async (t) => {
    const { receiver, answers, set, becomes, waiting, untaken } = await startEndpoint(t, 204)
    await create(exchange)
    await receiver.got(1)
    await until(async () => (await waiting()) === 0, 'the event to be delivered')
    await set('paused')
    for (let made = 0; made < 3; made += 1) await create(exchange)
    await until(async () => (await waiting()) >= 3, 'events to wait')
    await advance(exchange, 'PT3H')
    answers(500)
    await set('active')
    await becomes('failing', 'PT1H')
    await untaken(3)
    answers(204)
    await set('active')
    await ends('endpoint failing')
    await set('paused')
  })

  it('where work fails again and again: the mail server takes nothing', async () => {
    mails.replies = Array.from({ length: 50 }, () => '450 4.2.0 Not now')
    await ctx().db.atomic(async (db) => {
      const content = { title: 'Hello', paragraphs: ['Hello.'] }
      const to = 'somebody@example.com'
      await sendMail(ctx(), db, {
        to,
        isAskedFor: true,
        subject: 'Hello',
        content,
        dataKey: await ctx().keyring.make(db),
      })
    })
    await begins('job failed', /^Work fails and is tried again by itself: sending e-mails\. Attempts so far: \d+\. /)
    mails.replies = []
    await lookup(exchange, `update jobs set run_at = now() where attempts > 0`)
    await ends('job failed')
  })

  it('where a bank has sent a file that cannot be read, until two operators take it as it is', async () => {
    const text = camt({ id: 'BOMB', entries: [] }).replace('<Document', '<!DOCTYPE a [<!ENTITY b "bb">]><Document')
    bank.drop('bomb.xml', text)
    await begins('bank_file refused', /^A file of the bank was refused: /)
    for (const name of ['ann', 'bob'])
      await acceptBankFile(ctx(), { name: 'bomb.xml' }, { ...why, actor: `cli:${name}` })
    await ends('bank_file refused')
  })

  it('where a statement of a bank is missing, until it comes', async () => {
    bank.state([])
    const missing = camt({ id: 'STMT-2', number: 2, opening: '0.00', closing: '0.00', entries: [] })
    bank.number += 1
    bank.state([])
    await begins('bank_file missing', /^The bank has skipped a statement of the account that ends in /)
    bank.drop('late.xml', missing)
    await ends('bank_file missing')
  })

  it('where money left our account and no order explains it, until it is booked', async () => {
    bank.state([
      { amount: '100.00', servicerReference: 'IN-1' },
      { amount: '12.00', debit: true, servicerReference: 'FEE-1' },
    ])
    await begins('suspense debit', /12 EUR/)
    const debits = await listUnbookedDebits(ctx())
    for (const { payment } of debits) await bookOwnMoney(ctx(), payment, { ...why, category: 'fee' })
    await ends('suspense debit')
  })

  it('where an account holds less than its lower bound, until it is refilled', async () => {
    const held = (await listBalances(ctx())).find(
      ({ account, asset }) => account === 'wallet-btc' && asset === 'BTC-BTC',
    )
    const asset = bookedAsset('BTC-BTC')
    assert.ok(held && asset)
    const minimum = formatAmount(held.available, asset)
    const level = { account: 'wallet-btc', asset: 'BTC-BTC', target: minimum, minimum }
    const levels = [{ ...level, maximum: undefined, surplusTo: undefined, refillFrom: undefined }]
    ctx().config.rebalancing = { destinations: [], levels }
    await buy(exchange)
    await begins('balance low', /^Less than its lower bound is left at wallet-btc: [\d.]+ BTC\./, 'home')
    const { id } = await readyToPay(exchange, { from_amount: '0.05', from_currency: 'BTC', to_currency: 'EUR' })
    await pay(exchange, id)
    await ends('balance low', 'home')
    ctx().config.rebalancing = undefined
  })

  it('where the exchange bears a price that it cannot hedge: too little money is at the venue', async () => {
    const stops: (() => unknown)[] = []
    const fake = await startFakeVenue({ after: (stop: () => unknown) => stops.push(stop) }, 'venue-1')
    ctx().venue = fake.venue
    ctx().config.hedging = {
      isAutomatic: true,
      venue: 'venue-1',
      pairs: [{ base: 'BTC', quote: 'EUR' }],
      assets: {},
      everyMs: 3_600_000,
      slippageBasisPoints: 50,
      expiresAfterMs: 900_000,
      bounds: { BTC: { target: '0', minimum: '0.0005', lot: '0.0001' } },
      capPerOrder: 10_000_000n,
      capPerDay: 1_000_000_000n,
    }
    await buy(exchange)
    await begins('hedge short', /cannot be hedged: too little money at venue-1 \((EUR|BTC)\)\./, 'home')
    ctx().config.hedging = undefined
    await ends('hedge short', 'home')
    for (const stop of stops) await stop()
  })
})

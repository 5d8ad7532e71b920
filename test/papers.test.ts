import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { after, before, describe, it, test } from 'node:test'
import { promisify } from 'node:util'

import { commands } from '../src/app/commands/catalog.ts'
import { readUsage } from '../src/doors/commands/usage.ts'
import { settings } from '../src/app/config/config.ts'
import { systemClock } from '../src/platform/lib/clock.ts'
import { parseAmount } from '../src/platform/money/amount.ts'
import { makeSecret, secretBytes, sign } from '../src/exchange/webhooks/sign.ts'
import { welcome } from '../src/sandbox/welcome.ts'
import { type Exchange, startExchange } from './support/exchange.ts'
import { ladder } from './support/house-rules.ts'
import { anchorsOf, below, blocksOf, papers, read, rowsOf, spansOf, wordsOf } from './support/papers.ts'
import { asOwner } from './support/server.ts'
import { idleSettings, settingsPage } from './support/settings-page.ts'
import { filesBelow, projectFolder, readSources } from './support/source.ts'
import { compileSamples, type SampleReceiver, startSampleReceiver } from './support/webhook-samples.ts'

const isThere = (path: string): boolean => existsSync(join(projectFolder, path))
const holds = (complaints: string[]): void => assert(complaints.length === 0, `\n${complaints.join('\n')}\n`)

describe('what the papers say of the code', () => {
  it('every file, function and test that they name is there', () => {
    // Contributing and style have examples of files that somebody may add one day.
    const exact = papers.filter((paper) => !['CONTRIBUTING.md', 'STYLE.md'].includes(paper))
    const named = /^((?:src|test|bin|docs|migrations|bench|assets|\.ci)\/[\w./-]*)(?:: (.+))?$/
    const complaintsOf = (span: string): string[] => {
      const [, path, name] = named.exec(span) ?? []
      if (path === undefined) return []
      if (!isThere(path)) return [`there is no ${path}`]
      return name === undefined || read(path).includes(name) ? [] : [`${path} has no ${name}`]
    }
    holds(
      exact.flatMap((paper) =>
        spansOf(paper)
          .flatMap(complaintsOf)
          .map((one) => `${paper}: ${one}`),
      ),
    )
  })

  it('every link leads to a page and a heading that are there', () => {
    const linked = /\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g
    const complaintsOf = (paper: string, to: string, anchor: string | undefined): string[] => {
      const target = to === '' ? paper : posix.join(posix.dirname(paper), to)
      if (!isThere(target)) return [`${paper}: there is no ${target}`]
      return anchor === undefined || anchorsOf(target).includes(anchor) ? [] : [`${paper}: ${target} has no #${anchor}`]
    }
    const links = papers.flatMap((paper) => [...wordsOf(paper).matchAll(linked)].map((found) => ({ paper, found })))
    assert.ok(links.length > 0)
    holds(links.flatMap(({ paper, found: [, to = '', anchor] }) => complaintsOf(paper, to, anchor)))
  })

  it('every command that they name is one', () => {
    const names = [...commands.map((command) => readUsage(command).name.join(' ')), 'serve', 'help']
    const typed = (paper: string) => [...read(paper).matchAll(/bin\/cambio ([a-z][a-z0-9]*(?: [a-z][a-z-]*)?)/g)]
    const isOne = (words: string) =>
      names.some((name) => `${words} `.startsWith(`${name} `) || name.startsWith(`${words} `))
    holds(
      papers.flatMap((paper) =>
        typed(paper).flatMap(([, words = '']) => (isOne(words) ? [] : [`${paper}: there is no command "${words}"`])),
      ),
    )
  })

  it('every setting that they name is one', () => {
    const names = new Set(settings.flatMap(({ name }) => [name, `${name}_FILE`]))
    const named = (paper: string) =>
      spansOf(paper).flatMap((span) => /^([A-Z]+_[A-Z_]+)(?:=.*)?$/.exec(span)?.[1] ?? [])
    holds(
      ['ARCHITECTURE.md', ...filesBelow('docs/operator')].flatMap((paper) =>
        named(paper).flatMap((name) => (names.has(name) ? [] : [`${paper}: there is no setting ${name}`])),
      ),
    )
  })

  it('the ladder is the one that the house keeps', () => {
    const kept = ladder.map((rung) => rung.filter((name) => isThere(`src/${name}`)).join(' · '))
    const shown = blocksOf('ARCHITECTURE.md', 'text').find((text) => text.includes('\nexchange/context.ts\n'))
    assert.deepEqual(shown?.trim().split('\n'), kept.filter(Boolean))
  })

  it('every promise says where it is kept and which test shows it', () => {
    const rows = rowsOf(below('ARCHITECTURE.md', 'What must always hold'))
    assert.equal(rows.length, 14)
    for (const [number, promise, place, tests = ''] of rows) {
      assert.ok(promise && place, number)
      assert.match(tests, /`[\w./-]+\.test\.ts: /, number)
    }
  })

  it('the page of settings is what the settings say', () => {
    const page = 'docs/operator/settings.md'
    const wanted = settingsPage(settings)
    if (process.env.WRITE_PAPERS) writeFileSync(join(projectFolder, page), wanted)
    assert.equal(read(page), wanted, 'update it: WRITE_PAPERS=1 npm test -- papers')
  })

  it('a setting that is said to have no effect has none', () => {
    const sources = readSources('src').filter(
      ({ path }) => path !== 'src/app/config/config.ts' && !/\.test\.tsx?$/.test(path),
    )
    for (const [name, use] of Object.entries(idleSettings)) {
      const users = sources.filter(({ code }) => use.test(code)).map(({ path }) => path)
      assert.deepEqual(users, [], `${name} is used: take it from the list in test/support/settings-page.ts`)
    }
  })

  it('a decision has its five headings, a state and a date, one page, and a line in the index', () => {
    const index = read('docs/decisions/README.md')
    for (const [number, path] of filesBelow('docs/decisions')
      .filter((one) => /\/\d{4}-/.test(one))
      .entries()) {
      const [page, name] = [read(path), posix.basename(path)]
      const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, title]) => title)
      assert.deepEqual(headings, ['Context', 'Decision', 'Consequences', 'Alternatives', 'References'], path)
      assert.equal(name.slice(0, 4), String(number).padStart(4, '0'), `${path}: not the next number`)
      assert.ok(page.split('\n').length <= 60, `${path}: more than a page`)
      if (number === 0) continue
      const [, title] = /^# \d{4}: (.+)\n/.exec(page) ?? []
      assert.match(page, /^Status: (proposed|accepted|replaced by \d{4}) · Date: \d{4}-\d\d-\d\d$/m, path)
      assert.ok(index.includes(`* [${name.slice(0, 4)}](${name}) ${title}\n`), `${path}: not in the index`)
    }
  })
})

const hasShell = ['bash', 'curl'].every((name) => spawnSync(name, ['--version']).status === 0)

describe('what the papers tell people to type', { skip: hasShell ? false : 'needs bash and curl' }, () => {
  let exchange: Exchange
  let told: SampleReceiver
  const ends: (() => Promise<void>)[] = []
  before(async () => {
    exchange = await startExchange()
    ends.unshift(exchange.stop)
    told = await startSampleReceiver(exchange)
    ends.unshift(told.close)
  })
  after(async () => {
    for (const end of ends) await end()
  })

  it('the five lines of the README buy coins, as the other papers say', async () => {
    const block = blocksOf('README.md', 'sh').find((text) => text.includes('curl ')) ?? ''
    assert.equal(block.match(/curl /g)?.length, 5)
    const typed = await type(exchange, block)
    const record = JSON.parse(typed.slice(typed.lastIndexOf('{"id":'))) as Finished
    assert.equal(record.status, 'finished')
    assert.match(record.to_amount, /^0\.00\d+$/)
    assert.match(record.output_hash, /^[0-9a-f]{64}$/)

    const example = below('ARCHITECTURE.md', 'The ledger').split('The postings of one buy')[1] ?? ''
    const shown = rowsOf(example.replaceAll('`', ''))
    const booked = await bookedFor(exchange, record.id)
    assert.deepEqual(
      booked,
      shown.map((row) => row.slice(0, 4)),
    )
    for (const asset of ['EUR-EUR', 'BTC-BTC']) assert.equal(owedIn(shown, asset), 0n, asset)

    await told.got(5)
    const { events } = told
    assert.deepEqual(
      events.map(({ sequence }) => sequence),
      [1, 2, 3, 4, 5],
    )
    assert.deepEqual(new Set(events.map(({ payload }) => payload.id)), new Set([record.id]))
    assert.equal(events[4]?.payload.status, 'finished')
  })

  it('the first request that the service prints is answered', async () => {
    const printed = welcome(exchange.sandbox, { dataDir: exchange.dataDir })
    const line = printed.split('\n').find((text) => text.trim().startsWith('curl ')) ?? ''
    const estimate = JSON.parse(await type(exchange, line)) as { value: string; to_currency: string }
    assert.match(estimate.value, /^0\.00\d+$/)
    assert.equal(estimate.to_currency, 'BTC')
  })

  it('the quickstart goes from its first line to its last', async () => {
    const typed = await type(exchange, blocksOf('docs/partner/quickstart.md', 'sh').join('\n'))
    assert.match(typed, /"message":"OK"/)
    assert.match(typed, new RegExp(`^${exchange.url}/checkout\\?tid=[\\w-]{24}$`, 'm'))
    assert.match(typed, /"status":"finished"/)
    assert.match(typed, /"healthy":true/)
    assert.match(typed, /"data":\[\{"id":"\d+"/)
    assert.match(typed, /^secret +whsec_/m)
  })

  for (const [name, wanted] of [
    ['buy-button', /\/checkout\?tid=[\w-]{24}$[^]*"status":"finished"/m],
    ['sell-from-wallet', /"status":"waiting_for_deposit"[^]*"address":[^]*"status":"finished"/],
  ] as const)
    it(`the guide ${name} goes from its first line to its last`, async () => {
      assert.match(await type(exchange, blocksOf(`docs/partner/${name}.md`, 'sh').join('\n')), wanted)
    })

  it('the page about authentication goes from its first line to its last', async () => {
    const typed = await type(exchange, blocksOf('docs/partner/authentication.md', 'sh').join('\n'))
    assert.match(typed, /^200\n200$/m)
    assert.match(typed, /^\{"id":"\d+","status":"new"/m)
  })

  it('the front page, where deprecated calls lead, has every row of the changes of the interface', async () => {
    const page = await (await fetch(exchange.url)).text()
    const [, shown = ''] = /<h2 id="changes">Changes<\/h2>\n<table><tbody>(.*)<\/tbody><\/table>/.exec(page) ?? []
    const rows = rowsOf(read('docs/partner/changelog.md').split('\n## ')[0] ?? '')
    const wanted = rows.map(
      ([date, change = '']) =>
        `<tr><td>${date}</td><td>${change.replaceAll(/`([^`]+)`/g, '<code>$1</code>')}</td></tr>`,
    )
    assert.deepEqual(shown.split(/(?=<tr>)/), wanted)
    assert.equal(rows.length, 8)
  })
})

type Finished = { id: string; status: string; to_amount: string; output_hash: string }

/** Types lines into a shell in the project's folder, as somebody who runs the exchange would. Gives what was printed. */
async function type({ ownerUrl, dataDir }: Exchange, lines: string): Promise<string> {
  const { PATH = '', HOME = '' } = process.env
  const env = { PATH, HOME, DATABASE_URL: ownerUrl, DATA_DIR: dataDir }
  const options = { cwd: projectFolder, timeout: 300_000, env }
  return (await promisify(execFile)('bash', ['-e', '-c', lines], options)).stdout
}

/** What was booked for a transaction: kind, debit, credit and asset, in order. */
const bookedFor = ({ ownerUrl }: Exchange, id: string): Promise<string[][]> =>
  asOwner(ownerUrl, async (client) => {
    const { rows } = await client.query<string[]>({
      rowMode: 'array',
      text: `select kind, debit, credit, asset from postings join entries on entries.id = entry_id
        where transaction_id = (select id from transactions where public_id = $1) order by entry_id, line`,
      values: [id],
    })
    return rows.map((row) => row.map((cell) => cell.replace(`customer:${id}`, 'customer:{id}')))
  })

/** What the example's customer is still owed when all of it is booked. */
const owedIn = (rows: string[][], asset: string): bigint =>
  rows
    .filter(([, , , name]) => name === asset)
    .map(([, debit, credit, , text = '']): bigint => {
      const amount = parseAmount(text, { ticker: asset, decimals: 8 })
      if (credit === 'customer:{id}') return amount
      return debit === 'customer:{id}' ? -amount : 0n
    })
    .reduce((sum, amount) => sum + amount, 0n)

test('the verification sample takes what is ours and fresh, and nothing else', async () => {
  const { verifyWebhook } = await compileSamples()
  const [secret, other] = [makeSecret(), makeSecret()]
  const now = Math.floor(systemClock().realNow().getTime() / 1_000)
  const body = '{"id":"evt_1","type":"transaction.created","sequence":1,"payload":{"id":"1","note":"größer als 1 €"}}'
  const sent = (timestamp: number, secrets: string[], id = 'evt_1') => ({
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': sign({ id: 'evt_1', timestamp, body }, secrets.map(secretBytes)),
  })

  assert.equal(verifyWebhook(body, sent(now, [secret]), secret).sequence, 1)
  assert.equal(verifyWebhook(body, sent(now, [other, secret]), secret).sequence, 1)
  assert.throws(() => verifyWebhook(body, sent(now, [other]), secret), /not signed/)
  assert.throws(() => verifyWebhook(body.replace('1 €', '9 €'), sent(now, [secret]), secret), /not signed/)
  assert.throws(() => verifyWebhook(body, sent(now, [secret], 'evt_2'), secret), /not signed/)
  assert.throws(() => verifyWebhook(body, sent(now - 301, [secret]), secret), /too old/)
  assert.throws(() => verifyWebhook(body, sent(now + 400, [secret]), secret), /too old/)
  assert.throws(() => verifyWebhook(body, { ...sent(now, [secret]), 'webhook-signature': 'v1,' }, secret), /not signed/)
  assert.throws(() => verifyWebhook(body, {}, secret), /no time/)
})

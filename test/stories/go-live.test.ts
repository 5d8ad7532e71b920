import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, createServer as createPort } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'

import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { serviceUrl } from '../../src/platform/db/migrate.ts'
import { type Anvil, startAnvil } from '../support/anvil.ts'
import { camt, ourIban } from '../support/camt.ts'
import { emptyDatabase } from '../support/database.ts'
import { FolderBank } from '../support/folder-bank.ts'
import { blocksOf, isShown, type PageBlock, shellWith } from '../support/live-page.ts'
import { codesIn, mailServer } from '../support/mail-server.ts'
import { asOwner, dropDatabase, onDatabase } from '../support/server.ts'
import { projectFolder } from '../support/source.ts'
import { until } from '../support/telling.ts'
import { readUnit } from '../support/units.ts'

const folder = mkdtempSync(join(tmpdir(), 'cambio-go-live-'))
const customer = '0x00000000000000000000000000000000c0ffee02'
let anvil: Anvil
let mails: Awaited<ReturnType<typeof mailServer>>
let desks: Server[]
let serverUrl = ''
let database = ''
let ports: { api: number; apiAdmin: number; worker: number; workerAdmin: number }
const running: ChildProcess[] = []
let bank: FolderBank
let log = ''

before(async () => {
  mkdirSync(join(folder, 'vault'))
  mkdirSync(join(folder, 'etc'))
  mkdirSync(join(folder, 'lib'))
  serverUrl = (await emptyDatabase()).ownerUrl
  database = `${new URL(serverUrl).pathname.slice(1)}_live`
  anvil = await startAnvil({ mines: true, chainId: 1 })
  mails = await mailServer()
  desks = await Promise.all([desk('2000.1', '2000.9'), desk('2000.2', '2001.0'), desk('2000.0', '2000.8')])
  ports = { api: await freePort(), apiAdmin: await freePort(), worker: await freePort(), workerAdmin: await freePort() }
})
after(async () => {
  for (const child of running.toReversed()) {
    if (child.exitCode !== null) continue
    const ended = new Promise((resolve) => child.once('close', resolve))
    child.kill('SIGTERM')
    await ended
  }
  for (const one of desks) one.close()
  await mails.close()
  await anvil.stop()
  await asOwner(serverUrl, async (client) => {
    await dropDatabase(client, database)
    await client.query(`drop role if exists ${database}_service`)
    await client.query(`drop role if exists ${database}`)
  })
  rmSync(folder, { recursive: true, force: true })
})

/** A desk that buys and sells ether at these prices, now. */
async function desk(bid: string, ask: string): Promise<Server> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ 'ETH/EUR': { bid, ask, at: new Date().toISOString() } }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

const originOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

async function freePort(): Promise<number> {
  const server = createPort()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise<void>((resolve) => server.close(() => resolve()))
  return port
}

/** The page's places and hosts, as the stand-ins of this machine. */
function here(text: string): string {
  const owner = new URL(onDatabase(serverUrl, database))
  owner.username = database
  owner.password = 'correct-horse-battery'
  const own = serviceUrl(owner.href, `${database}_service`, 'staple-of-the-service')
  const account = `      - { currency: EUR, iban: ${ourIban}, bic: BYLADEM1001, holder: Example Ltd }`
  const replaced: [string | RegExp, string][] = [
    [/^postgres:.*$/m, own],
    [/^smtps:.*$/m, mails.url],
    [/^DATABASE_OWNER_URL='.*?'/m, `DATABASE_OWNER_URL='${owner.href}'`],
    // A second account of the same currency, which the bank knows by another id.
    [`${account}\n`, `${account}\n${account.replace(/iban: \w+/, 'other: "11111111"')}\n`],
    [/^MODE=live$/m, 'MODE=live\nLOG_LEVEL=warn'],
    [
      '"https://node.example.com/key", "https://node.example.org/key"]',
      `"${anvil.url}", "${anvil.url}"]\n    every: PT0.2S`,
    ],
    ...desks.map((one, index): [string, string] => [`https://desk-${index + 1}.example.com`, originOf(one)]),
    ['curl -s https://exchange.example.com', `curl -s http://127.0.0.1:${ports.api}`],
    [/\/etc\/cambio/g, join(folder, 'etc')],
    [/\/var\/lib/g, join(folder, 'lib')],
    [/\/media\/vault/g, join(folder, 'vault')],
  ]
  return replaced.reduce((changed, [one, other]) => changed.replace(one, () => other), text)
}

/** The stand-in of a person or an institution that the page describes between its commands. */
async function meanwhile({ code }: PageBlock, output: string): Promise<void> {
  if (code.startsWith('cambio keystore show')) {
    await anvil.give(/0x[0-9a-fA-F]{40}/.exec(output)?.[0] ?? '', 50n * 10n ** 18n)
    await anvil.mine(2)
  }
  if (code.includes('cambio@worker')) await firstStatement()
  if (code.startsWith('curl')) await finishOrder(JSON.parse(output) as TransactionRecord)
}

/** The bank's statements of a day on which nothing happened: one account holds 2,000.00 EUR, the other one 500.75 EUR. */
async function firstStatement(): Promise<void> {
  bank = new FolderBank(join(folder, 'lib/cambio/bank'), 200_000n)
  bank.state([])
  const text = camt({ id: 'OTHER-1', opening: '500.75', closing: '500.75', entries: [] })
  bank.drop('other.xml', text.replace(`<IBAN>${ourIban}</IBAN>`, '<Othr><Id>11111111</Id></Othr>'))
  await until(
    () => Promise.resolve(readdirSync(join(folder, 'lib/cambio/bank/in/done')).length === 2),
    'the statements to be read',
  )
}

/** The customer at the checkout, their transfer, the bank's statement, and the coins. */
async function finishOrder({ id, redirect_url: redirect }: TransactionRecord): Promise<void> {
  const origin = `http://127.0.0.1:${ports.api}`
  const page = redirect.replace('https://exchange.example.com', origin)
  let cookie = ''
  const send = async (form: Record<string, string>): Promise<void> => {
    const body = new URLSearchParams(form)
    const answer = await fetch(page, { method: 'POST', redirect: 'manual', headers: { cookie }, body })
    assert.equal(answer.status, 303, await answer.text())
    cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie
  }
  const before = codesIn(mails.mails).length
  await send({ do: 'email', email: 'ada@example.org' })
  await until(() => Promise.resolve(codesIn(mails.mails).length > before), 'the code')
  const code = codesIn(mails.mails).at(-1) ?? ''
  await send({ do: 'code', code, accepts: '1 1' })
  await send({ do: 'country', country: 'NL' })
  await send({ do: 'payout_address', payout_address: customer, confirms: customer })

  const [row] = await asOwner(onDatabase(serverUrl, database), async (client) => {
    const found = await client.query<{ reference: string }>('select reference from deposit_instructions')
    return found.rows
  })
  const payer = { name: 'Ada Lovelace', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' }
  const payments = [{ remittance: row?.reference ?? '', amount: '100.00', payer }]
  bank.state([{ amount: '100.00', servicerReference: 'C-1', payments }])

  const { secret_key: key } = JSON.parse(readFileSync(join(folder, 'etc/partner.json'), 'utf8')) as {
    secret_key: string
  }
  await until(async () => {
    const answer = await fetch(`${origin}/v1/transaction/${id}`, { headers: { 'x-api-key': key } })
    return ((await answer.json()) as TransactionRecord).status === 'finished'
  }, `the order to be finished\n${log}`)
  assert((await anvil.balance(customer)) > 0n, 'the coins are on the chain')
}

/**
 * Starts a unit as systemd would: its command with the environment of its files alone, its credentials as copies in a folder that is
 * named to it, and its specifiers replaced.
 */
function startUnit(name: string, instance = ''): ChildProcess {
  const { command, environment, environmentFiles, credentials } = readUnit(name)
  const given = mkdtempSync(join(folder, 'credentials-'))
  for (const [credential, path] of credentials) copyFileSync(here(path), join(given, credential))
  const place = (text: string): string =>
    here(text.replaceAll('%i', instance).replaceAll('%d', given).replaceAll('%S', '/var/lib'))
      .replace('/opt/cambio', projectFolder)
      .replace('/usr/bin/node', process.execPath)
      .replace('cambio-signing', execFileSync('id', ['-gn'], { encoding: 'utf8' }).trim())
  const files = environmentFiles.map((path) => `. ${place(path)}`).join('\n')
  const script = `set -ea\n${files}\n${environment.join(' ')}\nexec ${command.map(place).join(' ')}`
  const child = spawn('bash', ['-c', script], { env: {}, stdio: ['ignore', 'pipe', 'pipe'] })
  for (const output of [child.stdout, child.stderr]) output.on('data', (text) => (log += String(text)))
  running.push(child)
  return child
}

/** Plays systemctl: starts the units of a command of the page, and waits until the service takes orders. */
async function startUnits(code: string): Promise<void> {
  if (code.includes('cambio-signer')) {
    const signer = startUnit('cambio-signer.service')
    return until(() => {
      assert.equal(signer.exitCode, null, log)
      return Promise.resolve(log.includes('The signer listens.'))
    }, 'the signer to listen')
  }
  const { api, worker } = ports
  const roles = { api: `ROLES=api\nPORT=${api}`, worker: `ROLES=worker,rates\nPORT=${worker}` }
  for (const [role, text] of Object.entries(roles)) {
    assert(code.includes(`cambio@${role}`))
    const port = `ADMIN_PORT=${ports[`${role}Admin` as 'apiAdmin' | 'workerAdmin']}`
    writeFileSync(join(folder, `etc/${role}.env`), `${text}\n${port}\n`)
    startUnit('cambio@.service', role)
  }
  const isReady = async (port: number, path: string): Promise<boolean> => {
    for (const child of running) assert.equal(child.exitCode, null, log)
    const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined)
    await answer?.arrayBuffer()
    return answer?.status === 200
  }
  for (const admin of [ports.apiAdmin, ports.workerAdmin]) {
    await until(() => isReady(admin, '/readyz'), 'a process to be ready')
  }
  await until(() => isReady(api, '/v1/status'), 'the service to take orders')
}

it('the page about going live leads from an empty database to the first real order', { timeout: 900_000 }, async () => {
  const shell = shellWith(join(folder, 'etc/env'))
  for (const block of blocksOf('docs/operator/go-live.md')) {
    const code = here(block.code)
    if (block.language === 'sql') {
      for (const statement of code.replaceAll(/\bcambio\b/g, database).split(';\n')) {
        if (statement.trim() !== '') await asOwner(serverUrl, (client) => client.query(statement))
      }
    } else if (code.startsWith('systemctl')) {
      await startUnits(code)
      await meanwhile(block, '')
    } else {
      const ended = await shell.run(code)
      assert.equal(ended.code, 0, `${block.code}\n${ended.output}\n${log}`)
      const expected = block.output === undefined ? undefined : here(block.output)
      if (expected !== undefined) assert(isShown(expected, ended.output), `${block.code}\n${ended.output}`)
      await meanwhile(block, ended.output)
    }
  }
  const journal = readFileSync(join(folder, 'lib/cambio-signer/journal.jsonl'), 'utf8')
  assert.ok(journal.includes('"ETH-ETH"'), 'the signer has signed what left')
})

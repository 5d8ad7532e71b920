import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { isPassword } from '../../src/exchange/sign-in/password.ts'
import { type CommandLine, commandLineOf, runCommand } from '../support/command.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { lookup } from '../support/journey.ts'

type Token = { id: string; token: string }
type Listed = {
  id: string
  email: string
  tokens: { id: string; last_used_at: string | null; revoked_at: string | null }[]
}

let exchange: Exchange
let told: CommandLine['told']
let cambio: CommandLine['cambio']
let files: string
let partner: string

before(async () => {
  exchange = await startExchange()
  ;({ told, cambio } = commandLineOf(exchange))
  files = await mkdtemp(join(tmpdir(), 'cambio-tokens-'))
  partner = exchange.sandbox.partner_id
})
after(async () => {
  await exchange.stop()
  await rm(files, { recursive: true })
})

const made = async (email: string): Promise<Token & { operator: string }> => {
  const { id: operator } = await told<{ id: string }>('operator', 'create', email)
  return { operator, ...(await told<Token>('operator', 'token', email)) }
}
const withToken = (token: string, ...args: string[]) =>
  runCommand(args, { DATABASE_URL: exchange.ownerUrl, DATA_DIR: exchange.dataDir, OPERATOR_TOKEN: token })
const change = ['partner', 'set', '--partner', '', 'slippage_percent=1']
const changed = () => change.map((word) => (word === '' ? partner : word))
const lastActor = async (): Promise<string | undefined> =>
  (await told<{ actor: string }[]>('audit', 'list', '--limit', '1'))[0]?.actor

describe('operators', () => {
  it('get a password that is shown once, or the one of a file, and only its hash is kept', async () => {
    const shown = await told<{ password: string }>('operator', 'create', 'Ann@Example.com')
    const file = join(files, 'password')
    await writeFile(file, 'correct horse battery\n', { mode: 0o600 })
    const silent = await told<object>('operator', 'create', 'bob@example.com', '--password-file', file)
    assert.deepEqual(Object.keys(silent), ['id', 'email', 'role'])
    const rows = await lookup<{ email: string; password_hash: string }>(
      exchange,
      `select email, password_hash from operators where email like '%example.com' order by email`,
    )
    assert.deepEqual(
      rows.map(({ email }) => email),
      ['ann@example.com', 'bob@example.com'],
    )
    // The least that OWASP's Password Storage Cheat Sheet asks for: 19 MiB and two rounds.
    for (const row of rows) assert.match(row.password_hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    assert.equal(await isPassword(shown.password, rows[0]?.password_hash ?? ''), true)
    assert.equal(await isPassword('correct horse battery', rows[1]?.password_hash ?? ''), true)
    assert.equal((await cambio('operator', 'create', 'ann@example.com')).exitCode, 1)
    assert.equal((await cambio('operator', 'create', 'ann')).exitCode, 2)
  })

  it('are who the audit names, when a command is given their token, by the environment or by a file', async () => {
    const { operator, token } = await made('cleo@example.com')
    assert.equal((await withToken(token, ...changed())).exitCode, 0)
    assert.equal(await lastActor(), `operator:${operator}`)

    await told(...changed())
    assert.equal(await lastActor(), `cli:${userInfo().username}`)

    const file = join(files, 'token')
    await writeFile(file, `${token}\n`, { mode: 0o600 })
    await told(...changed(), '--token-file', file)
    assert.equal(await lastActor(), `operator:${operator}`)
    const listed = (await told<Listed[]>('operator', 'list')).find(({ id }) => id === operator)
    assert.notEqual(listed?.tokens[0]?.last_used_at, null)
  })

  it('have tokens whose hash alone is kept, and which are no argument', async () => {
    const { token } = await made('dana@example.com')
    const rows = await lookup<{ row: string }>(
      exchange,
      `select row_to_json(t)::text as row from operator_tokens t union all select row_to_json(a)::text from audit a`,
    )
    assert(rows.length > 2 && !rows.some(({ row }) => row.includes(token) || row.includes(token.slice(3))))
    const typed = await cambio(...changed(), '--token', token)
    assert.equal(typed.exitCode, 2)
  })

  it('are nobody with a token that is revoked or none: nothing is done as somebody else', async () => {
    const { id, operator, token } = await made('eve@example.com')
    await told('operator', 'revoke', id)
    const before = await told<unknown[]>('audit', 'list')
    for (const wrong of [token, `op_${'x'.repeat(43)}`]) {
      const { exitCode, err } = await withToken(wrong, ...changed())
      assert.deepEqual([exitCode, err.trim()], [1, 'The operator token is invalid or revoked.'])
    }
    const { exitCode, err } = await withToken('nonsense-that-is-secret', ...changed())
    assert.equal(exitCode, 1)
    assert.match(err, /OPERATOR_TOKEN/)
    assert.doesNotMatch(err, /nonsense/)
    assert.equal((await cambio(...changed(), '--token-file', join(files, 'nowhere'))).exitCode, 2)
    assert.deepEqual(await told('audit', 'list'), before)
    const listed = (await told<Listed[]>('operator', 'list')).find((one) => one.id === operator)
    assert.notEqual(listed?.tokens[0]?.revoked_at, null)
    assert.equal((await cambio('operator', 'revoke', '123')).exitCode, 1)
    assert.equal((await cambio('operator', 'token', 'nobody@example.com')).exitCode, 1)
  })
})

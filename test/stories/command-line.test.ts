import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { signWidgetQuery } from '../../src/exchange/partners/widget-signature.ts'
import { type CommandLine, commandLineOf, runAlone } from '../support/command.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { asOwner } from '../support/server.ts'
import { until } from '../support/telling.ts'
import { promised } from '../support/promised.ts'

type Shown = Record<string, unknown> & { id: string }

let exchange: Exchange
let cambio: CommandLine['cambio']
let told: CommandLine['told']
let partner: {
  partner_id: string
  public_key: string
  secret_key: string
  widget_secret: string
  webhook_secret: string
}
let files: string

before(async () => {
  exchange = await startExchange()
  ;({ cambio, told } = commandLineOf(exchange))
  files = await mkdtemp(join(tmpdir(), 'cambio-files-'))
  partner = await told('partner', 'create', 'Shop')
})
after(async () => {
  await exchange.stop()
  await rm(files, { recursive: true })
})

const ask = (key: string) => exchange.api('/v1/estimate?from_currency=EUR&to_currency=BTC&from_amount=100', { key })

/** How long it takes, in real milliseconds, until something holds. */
async function untilHeld(check: () => Promise<boolean>): Promise<number> {
  const begun = performance.now()
  await until(check, 'a change in a running process')
  return performance.now() - begun
}

describe('partner accounts', () => {
  it('a new one has keys that work at once, in the shape that programs read', async () => {
    assert.deepEqual(Object.keys(partner), [
      'partner_id',
      'public_key',
      'secret_key',
      'widget_secret',
      'webhook_secret',
    ])
    for (const key of [partner.public_key, partner.secret_key]) assert.equal((await ask(key)).status, 200)
    const listed = await told<{ partner_id: string; name: string }[]>('partner', 'list')
    assert.deepEqual(
      listed.map(({ name }) => name),
      ['Demo Wallet', 'Demo Shop', 'Shop'],
    )
  })

  it('a revoked key is refused by a running process within 2 seconds, and the others are not', async () => {
    const made = await told<Shown>(
      'key',
      'create',
      '--partner',
      partner.partner_id,
      '--kind',
      'secret',
      '--label',
      'ci',
    )
    assert.deepEqual(Object.keys(made), ['id', 'kind', 'key'])
    assert.equal((await ask(String(made.key))).status, 200)

    await told('key', 'revoke', made.id)
    const tookMs = await untilHeld(async () => (await ask(String(made.key))).status === 401)
    assert.ok(tookMs < promised(2_000), `${tookMs} ms`)
    assert.equal((await ask(partner.secret_key)).status, 200)
    const keys = await told<Shown[]>('key', 'list', '--partner', partner.partner_id)
    assert.deepEqual(
      keys.map(({ revoked_at: at }) => at === null),
      [true, true, false],
    )
  })

  it('a key with an allow-list is refused elsewhere', async () => {
    const args = ['--partner', partner.partner_id, '--kind', 'secret', '--allow-ip']
    const elsewhere = await told<Shown>('key', 'create', ...args, '192.0.2.7,2001:db8::/32')
    const here = await told<Shown>('key', 'create', ...args, '127.0.0.0/8,::1')
    assert.equal((await ask(String(elsewhere.key))).status, 403)
    assert.equal((await ask(String(here.key))).status, 200)
  })

  it('a feature that is switched holds in a running process within 2 seconds', async () => {
    const warned = async () => {
      const path = '/v1/estimate?from_currency=EUR&to_currency=BTC&from_amount=100&customer_country=DE'
      return (await exchange.api<{ warnings: unknown[] }>(path, { key: partner.secret_key })).body.warnings.length > 0
    }
    assert.equal(await warned(), true)
    for (const [word, expected] of [
      ['on', false],
      ['off', true],
    ] as const) {
      const shown = await told<Shown>('feature', word, 'customer_country', '--partner', partner.partner_id)
      assert.equal((shown.features as Record<string, boolean>).customer_country, word === 'on')
      const tookMs = await untilHeld(async () => (await warned()) === expected)
      assert.ok(tookMs < promised(2_000), `${word}: ${tookMs} ms`)
    }
  })

  it('settings change together or not at all, those of files too', async () => {
    const fees = join(files, 'fees.json')
    await writeFile(fees, '{"commission_percent": "0.5"}')
    const args = ['partner', 'set', '--partner', partner.partner_id]
    const shown = await told<Shown>(...args, 'slippage_percent=1.25', `fees=${fees}`, 'b2b_approval=on')
    assert.equal(shown.slippage_percent, '1.25')
    assert.equal(shown.b2b_approval, 'on')
    assert.deepEqual(shown.fees, { commission_percent: '0.5' })

    const wrong = await cambio(...args, 'slippage_percent=3', 'b2b_approval=perhaps')
    assert.deepEqual([wrong.exitCode, wrong.out], [2, ''])
    assert.match(wrong.err, /^b2b_approval must be on or off\.\n$/)
    assert.deepEqual(await told('partner', 'show', '--partner', partner.partner_id), shown)
  })

  it('every change says who made it', async () => {
    const rows = await asOwner(exchange.ownerUrl, (client) =>
      client.query<{ actor: string; action: string }>(
        'select actor, action from audit where subject = $1 order by id',
        [`partner:${partner.partner_id}`],
      ),
    )
    const actions = ['partner.created', 'feature.switched_on', 'feature.switched_off', 'partner.changed']
    assert.deepEqual(
      rows.rows.map(({ action }) => action),
      actions,
    )
    assert.deepEqual([...new Set(rows.rows.map(({ actor }) => actor))], [`cli:${userInfo().username}`])
  })

  it('an empty flag or argument, as of a variable that is not set, is refused, with exit code 2', async () => {
    for (const args of [
      ['operator', 'create', 'empty@example.com', '--role', ''],
      ['portal', 'invite', 'empty@example.com', '--partner', exchange.sandbox.partner_id, '--role', ' '],
      ['transaction', 'refund', '1', '--reason', 'A test.', '--amount', ''],
      ['key', 'create', '--partner', exchange.sandbox.partner_id, '--kind', 'secret', '--expires', ''],
    ]) {
      const { exitCode, out, err } = await cambio(...args)
      assert.deepEqual([exitCode, out], [2, ''], args.join(' '))
      assert.match(err, /must not be empty/)
    }
  })

  it('what is not there is said in a sentence, with exit code 1', async () => {
    for (const args of [
      ['partner', 'show', '--partner', '1'],
      ['key', 'list', '--partner', '1'],
      ['key', 'revoke', '1'],
      ['webhook', 'remove', '1'],
      ['transaction', 'show', '1'],
      ['price', 'explain', '1'],
      ['widget', 'sign', 'a=b', '--partner', '1'],
    ]) {
      const { exitCode, out, err } = await cambio(...args)
      assert.deepEqual([exitCode, out], [1, ''], args.join(' '))
      assert.match(err, /^There is no such [a-z ]+\.\n$/, args.join(' '))
    }
  })
})

describe('webhook endpoints', () => {
  it("are added with a secret, the first with the partner's own, and removed", async () => {
    const args = ['--partner', partner.partner_id]
    const first = await told<Shown>('webhook', 'add', 'http://127.0.0.1:9/one', ...args)
    assert.deepEqual(first, { id: first.id, url: 'http://127.0.0.1:9/one', secret: partner.webhook_secret })
    const types = 'transaction.created,transaction.status_changed'
    const second = await told<Shown>('webhook', 'add', 'http://127.0.0.1:9/two', ...args, '--types', types)
    assert.notEqual(second.secret, first.secret)

    await told('webhook', 'remove', first.id)
    const left = await told<Shown[]>('webhook', 'list', ...args)
    assert.deepEqual(
      left.map(({ id, types, status }) => [id, types, status]),
      [[second.id, types.split(','), 'active']],
    )
    await told('webhook', 'remove', second.id)
  })
})

describe('an exchange that does not run', () => {
  it('is set up, used and left as it was: not running', async () => {
    const env = { DATA_DIR: join(files, 'own') }
    const before = await runAlone(['verify'], env)
    assert.equal(before.exitCode, 1)
    assert.match(before.err, /^No exchange found: /)
    assert.equal(existsSync(env.DATA_DIR), false, 'nothing is made by asking')

    const first = JSON.parse((await runAlone(['migrate', '--json'], env)).out) as { applied: string[] }
    assert.ok(first.applied.length > 0)
    assert.deepEqual(JSON.parse((await runAlone(['migrate', '--json'], env)).out), { applied: [] })
    const made = await runAlone(['partner', 'create', 'Shop'], env)
    assert.equal(made.exitCode, 0, made.err)
    assert.equal((await runAlone(['verify', '--json'], env)).out, '{"ok":true,"problems":[]}\n')
    assert.ok(!(await readdir(join(env.DATA_DIR, 'postgres'))).includes('postmaster.pid'))
  })
})

describe('the words themselves', () => {
  it('a wrong command is told in a sentence on standard error, with exit code 2', async () => {
    const { exitCode, out, err } = await runAlone(['veryfy'], {})
    assert.deepEqual([exitCode, out, err], [2, '', 'There is no command "veryfy". See: cambio help\n'])
  })

  it('help and settings need no exchange', async () => {
    assert.match((await runAlone(['help'], {})).out, /partner create/)
    const settings = JSON.parse((await runAlone(['settings', '--json'], {})).out) as { name: string }[]
    assert.ok(settings.some(({ name }) => name === 'DATABASE_URL'))
  })

  it('db url leads in as the role of the service, which may not change the books', async () => {
    const { out } = await cambio('db', 'url')
    await asOwner(out.trim(), async (client) => {
      const { rows } = await client.query('select 1 from partners limit 1')
      assert.equal(rows.length, 1)
      await assert.rejects(client.query('update postings set amount = 1'), /permission denied/)
    })
  })

  it('a widget query is signed with the partner account own secret', async () => {
    const { signature } = await told<{ signature: string }>(
      'widget',
      'sign',
      'theme=dark',
      '--partner',
      partner.partner_id,
    )
    assert.equal(signature, signWidgetQuery(partner.widget_secret, BigInt(partner.partner_id), 'theme=dark'))
  })
})

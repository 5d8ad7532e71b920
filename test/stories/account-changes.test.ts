import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import type { Ctx } from '../../src/exchange/context.ts'
import { setPartner, switchFeature } from '../../src/exchange/partners/change.ts'
import { createPartner, type NewPartner } from '../../src/exchange/partners/create.ts'
import { commandLineOf } from '../support/command.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { asOwner } from '../support/server.ts'

let exchange: Exchange
let ctx: Ctx
let files: string

before(async () => {
  exchange = await startExchange()
  ctx = exchange.service.composition.ctx
  files = await mkdtemp(join(tmpdir(), 'cambio-accounts-'))
})
after(async () => {
  await exchange.stop()
  await rm(files, { recursive: true })
})

const newShop = (name: string): Promise<NewPartner> => createPartner(ctx, { name }, 'test')

describe('changes of an account', () => {
  it('a file that cannot be read whole changes nothing, and is refused in a sentence', async () => {
    const shop = await newShop('Garbled')
    const id = String(shop.partner.id)
    const { cambio, told } = commandLineOf(exchange)
    const before = await told('partner', 'show', '--partner', id)
    const file = join(files, 'garbled')
    const contents: Record<string, string[]> = {
      fees: ['', '{"commission_percent": "1"', '{"commission_percent": "1", "schedules": [{"version": "a"}]}'],
      limits: ['{"min": "1", "max": "x"}', '{"min": "1", "b2b": {"max": "1e9"}}'],
      theme: [
        '{"accent": "#0a7cff", "text": "black"}',
        '{"accent": "blue"}',
        '{"corner": 99}',
        '{"logo": "https://example.com/a.png"}',
      ],
      signing_key: ['-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n'],
    }
    for (const [name, texts] of Object.entries(contents)) {
      for (const text of texts) {
        await writeFile(file, text)
        const { exitCode, out, err } = await cambio(
          'partner',
          'set',
          '--partner',
          id,
          'slippage_percent=9',
          `${name}=${file}`,
        )
        assert.deepEqual([exitCode, out], [2, ''], text)
        assert.match(err, /^[a-z0-9_.[\]]+: [^\n]+\.\n$/, text)
      }
    }
    assert.deepEqual(await told('partner', 'show', '--partner', id), before)
    const audited = await asOwner(exchange.ownerUrl, (client) =>
      client.query('select 1 from audit where subject = $1', [`partner:${id}`]),
    )
    assert.equal(audited.rows.length, 1, 'only that it was made')
  })

  it('made at once all hold, and the audit is a chain of them', async () => {
    const { partner } = await newShop('Busy')
    const limits = JSON.stringify({ max: '5000' })
    const fees = JSON.stringify({ commission_percent: '1' })
    await Promise.all([
      ...['signing', 'nonsense'].map((name) =>
        setPartner(ctx, partner.id, { [name]: 'perhaps' }, 'test').catch(() => undefined),
      ),
      ...Object.entries({
        limits,
        fees,
        slippage_percent: '3',
        b2b_approval: 'on',
        key_burst: '7',
        creates_burst: '8',
      }).map(([name, text]) => setPartner(ctx, partner.id, { [name]: text }, 'test')),
      ...(['b2b', 'billing_info', 'kyc_sharing'] as const).map((feature) =>
        switchFeature(ctx, partner.id, { feature, on: true }, 'test'),
      ),
    ])
    const shown = await commandLineOf(exchange).told<Record<string, unknown>>(
      'partner',
      'show',
      '--partner',
      `${partner.id}`,
    )
    assert.deepEqual(
      [shown.limits, shown.fees, shown.slippage_percent, shown.b2b_approval, shown.key_burst, shown.creates_burst],
      [{ min: null, max: '5000' }, { commission_percent: '1' }, '3', 'on', 7, 8],
    )
    const features = { billing_info: true, customer_country: false, preset_payout_address: true, b2b: true }
    assert.deepEqual(shown.features, { ...features, kyc_sharing: true })
    const { rows } = await asOwner(exchange.ownerUrl, (client) =>
      client.query<{ before: Settings; after: Settings }>(
        `select before, after from audit where subject = $1 and action <> 'partner.created' order by id`,
        [`partner:${partner.id}`],
      ),
    )
    assert.equal(rows.length, 9)
    const now = new Map<string, unknown>()
    for (const { before, after } of rows) {
      for (const [name, value] of leaves(before)) if (now.has(name)) assert.deepEqual(value, now.get(name), name)
      for (const [name, value] of leaves(after)) now.set(name, value)
    }
    assert.equal(now.size, 9)
  })
})

type Settings = Record<string, unknown>

/** What changed, group by group. */
const leaves = (settings: Settings): [name: string, value: unknown][] =>
  Object.entries(settings).flatMap(([group, value]) =>
    ['features', 'rateLimits', 'terms'].includes(group)
      ? Object.entries(value as Settings).map(([name, one]): [string, unknown] => [`${group}.${name}`, one])
      : [[group, value]],
  )

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { testContext } from '../../../test/support/api.ts'
import { type TestDatabase, testDatabase } from '../../../test/support/database.ts'
import { asOwner } from '../../../test/support/server.ts'
import { table } from '../../../test/support/table.ts'
import { auditOf } from '../audit/audit.ts'
import { readShared } from '../audit/version.ts'
import type { Ctx } from '../context.ts'
import { setPartner, switchFeature } from './change.ts'
import { createPartner } from './create.ts'
import { listPartners, showPartner } from './find.ts'
import { createKey, listKeys, revokeKey } from './keys.ts'
import { readPartnerSecrets } from './secrets.ts'

let database: TestDatabase
let ctx: Ctx

before(async () => {
  database = await testDatabase()
  ctx = await testContext(database)
})

after(async () => {
  await ctx.db.close()
  await database.drop()
})

/** What the tables hold, as text: where a secret would be found. */
const everything = () =>
  asOwner(database.ownerUrl, async (client) => {
    const { rows } = await client.query<{ row: string }>(`
      select partners::text as row from partners union all select api_keys::text from api_keys
      union all select audit::text from audit`)
    return rows.map(({ row }) => row).join('\n')
  })

const versionNow = async () => (await readShared(ctx)).version

describe('a partner account', () => {
  it('has the default features, one key of each kind, and secrets that are shown once', async () => {
    const made = await createPartner(ctx, { name: 'Shop' }, 'cli:ann')
    assert.match(made.public_key, /^pk_test_[\w-]{43}$/)
    assert.match(made.secret_key, /^sk_test_[\w-]{43}$/)
    assert.match(made.webhook_secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.deepEqual(made.partner.settings.features, {
      billing_info: false,
      customer_country: false,
      preset_payout_address: true,
      b2b: false,
      kyc_sharing: false,
    })
    const shown = await showPartner(ctx, made.partner.id)
    assert.deepEqual(shown, made.partner)
    assert.ok((await listPartners(ctx)).some(({ id }) => id === made.partner.id))
  })

  it('keeps nothing that was shown once in clear', async () => {
    const made = await createPartner(ctx, { name: 'Kiosk' }, 'cli:ann')
    const stored = await everything()
    for (const secret of [made.public_key, made.secret_key, made.widget_secret, made.webhook_secret]) {
      assert.ok(!stored.includes(secret))
      assert.ok(!stored.includes(Buffer.from(secret).toString('hex')))
    }
    assert.deepEqual(await readPartnerSecrets(ctx, made.partner.id), {
      widgetSecret: made.widget_secret,
      webhookSecret: made.webhook_secret,
    })
  })

  it('is refused without a name of one line', async () => {
    await assert.rejects(createPartner(ctx, { name: '  ' }, 'test'), { code: 'BAD_REQUEST' })
    await assert.rejects(createPartner(ctx, { name: 'x'.repeat(201) }, 'test'), { code: 'BAD_REQUEST' })
    for (const name of ['Shop\nPaid by us', 'Shop\tLtd', 'Shop\u202e', 'Shop\u0000'])
      await assert.rejects(createPartner(ctx, { name }, 'test'), { code: 'BAD_REQUEST' }, JSON.stringify(name))
  })

  it('is not found if it does not exist', async () => {
    await assert.rejects(showPartner(ctx, 1n), { code: 'NOT_FOUND' })
    await assert.rejects(setPartner(ctx, 1n, { b2b_approval: 'on' }, 'test'), { code: 'NOT_FOUND' })
    await assert.rejects(createKey(ctx, { partnerId: 1n, kind: 'public' }, 'test'), { code: 'NOT_FOUND' })
    await assert.rejects(revokeKey(ctx, 1n, 'test'), { code: 'NOT_FOUND' })
  })
})

describe('a change of an account', () => {
  it('is audited with actor, time, action, before and after, and reaches every process', async () => {
    const { partner } = await createPartner(ctx, { name: 'Bar' }, 'cli:ann')
    const version = await versionNow()
    await switchFeature(ctx, partner.id, { feature: 'b2b', on: true }, 'cli:bob')
    await setPartner(ctx, partner.id, { slippage_percent: '0.5', fees: '{"commission_percent": "1.25"}' }, 'cli:eve')
    assert.equal(await versionNow(), version + 2n)

    const rows = await auditOf(ctx.db, `partner:${partner.id}`)
    const actions = rows.map(({ actor, action }) => `${actor} ${action}`)
    assert.deepEqual(actions, ['cli:ann partner.created', 'cli:bob feature.switched_on', 'cli:eve partner.changed'])
    assert.ok(rows.every(({ at }) => at instanceof Date))
    assert.deepEqual(rows[1]?.before, { features: { b2b: false } })
    assert.deepEqual(rows[1]?.after, { features: { b2b: true } })
    assert.deepEqual(rows[2]?.before, { slippageBasisPoints: null, terms: { commissionBasisPoints: 0 } })
    assert.deepEqual(rows[2]?.after, { slippageBasisPoints: 50, terms: { commissionBasisPoints: 125 } })
    const { settings } = await showPartner(ctx, partner.id)
    assert.equal(settings.features.b2b, true)
    assert.equal(settings.slippageBasisPoints, 50)
  })

  it('is whole or nothing: one value that cannot be read leaves all as it was', async () => {
    const { partner } = await createPartner(ctx, { name: 'Pub' }, 'test')
    const version = await versionNow()
    const changes = { slippage_percent: '1', theme: '{"accent": "red"}' }
    await assert.rejects(setPartner(ctx, partner.id, changes, 'test'), { code: 'BAD_REQUEST' })
    assert.deepEqual(await showPartner(ctx, partner.id), partner)
    assert.equal(await versionNow(), version)
  })

  it('that names an unknown feature is refused', async () => {
    const { partner } = await createPartner(ctx, { name: 'Inn' }, 'test')
    const change = { feature: 'constructor', on: true }
    await assert.rejects(switchFeature(ctx, partner.id, change, 'test'), { code: 'BAD_REQUEST' })
  })

  it('cannot demand signatures without a key to check them with', async () => {
    const { partner } = await createPartner(ctx, { name: 'Den' }, 'test')
    await assert.rejects(setPartner(ctx, partner.id, { signing: 'all' }, 'test'), { code: 'BAD_REQUEST' })
  })
})

describe('keys', () => {
  it('rotate with overlap: the new one is valid alongside the old one until that is revoked', async () => {
    const { partner } = await createPartner(ctx, { name: 'Mall' }, 'test')
    const version = await versionNow()
    const wanted = {
      partnerId: partner.id,
      kind: 'secret',
      label: 'next',
      allowIps: [' 192.0.2.0/24', '2001:db8::1'],
    } as const
    const { key, text } = await createKey(ctx, wanted, 'cli:ann')
    assert.equal(key.hint, text.slice(-4))
    assert.deepEqual(key.allowIps, ['192.0.2.0/24', '2001:db8::1'])

    const [, old] = await listKeys(ctx, partner.id)
    assert.equal(old?.revokedAt, null)
    assert.equal((await listKeys(ctx, partner.id)).length, 3)
    await revokeKey(ctx, key.id, 'cli:bob')
    assert.equal(await versionNow(), version + 2n)
    const rows = await auditOf(ctx.db, `key:${key.id}`)
    assert.deepEqual(
      rows.map(({ actor, action }) => `${actor} ${action}`),
      ['cli:ann key.created', 'cli:bob key.revoked'],
    )
    assert.ok(rows.every(({ before, after: then }) => !JSON.stringify([before, then]).includes(text)))
  })

  it('that are revoked are not revoked once more, and stay as they were', async () => {
    const { partner } = await createPartner(ctx, { name: 'Gym' }, 'test')
    const [key] = await listKeys(ctx, partner.id)
    assert.ok(key)
    const first = await revokeKey(ctx, key.id, 'test')
    const version = await versionNow()
    await assert.rejects(revokeKey(ctx, key.id, 'test'), { code: 'CONFLICT' })
    assert.deepEqual((await listKeys(ctx, partner.id))[0]?.revokedAt, first.revokedAt)
    assert.equal(await versionNow(), version)
  })

  it('take addresses and blocks in their allow-list, and nothing else', async () => {
    const { partner } = await createPartner(ctx, { name: 'Zoo' }, 'test')
    const rows = table(`
      entry               outcome
      192.0.2.1           taken
      10.0.0.0/8          taken
      fd00::/8            taken
      10.0.0.0/33         refused
      fd00::/129          refused
      example.com         refused
      ''                  refused
      192.0.2.1-9         refused
    `)
    for (const { entry = '', outcome } of rows) {
      const creating = createKey(ctx, { partnerId: partner.id, kind: 'public', allowIps: [entry] }, 'test')
      if (outcome === 'taken') await creating
      else await assert.rejects(creating, { code: 'BAD_REQUEST' }, entry)
    }
  })
})

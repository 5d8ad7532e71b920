import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import type { Ctx } from '../../src/exchange/context.ts'
import { setPartner, switchFeature } from '../../src/exchange/partners/change.ts'
import { createPartner, type NewPartner } from '../../src/exchange/partners/create.ts'
import { changeKey, createKey, revokeKey } from '../../src/exchange/partners/keys.ts'
import { type Asking, type Exchange, startExchange } from '../support/exchange.ts'
import { type ServedExchange, serveExchange } from '../support/process.ts'
import { feesDocument, putInForce } from '../support/policies.ts'
import { until } from '../support/telling.ts'
import { promised } from '../support/promised.ts'

/** What a process answers. */
type Told = { status: number; body: Record<string, unknown> }
type Ask = (path: string, asking: Asking) => Promise<Told>

let exchange: Exchange
let other: ServedExchange
let ctx: Ctx
/** This process, and another one on the same database. */
let processes: Record<string, Ask>

/** So wide that asking until a change holds does not meet them. */
const usualLimits = {
  RATE_LIMITS: 'on',
  RATE_LIMIT_KEY_PER_SECOND: '1000000',
  RATE_LIMIT_KEY_BURST: '1000000',
  RATE_LIMIT_CREATES_BURST: '1000000',
  RATE_LIMIT_CUSTOMER_IP_BURST: '1000000',
}

before(async () => {
  exchange = await startExchange(usualLimits)
  ctx = exchange.service.composition.ctx
  other = await serveExchange({
    DATABASE_URL: exchange.ownerUrl,
    MASTER_KEY_FILE: join(exchange.dataDir, 'master.key'),
    ...usualLimits,
    ROLES: 'api',
    DB_POOL_SIZE: '3',
    LOG_LEVEL: 'error',
  })
  processes = {
    'this process': (path, asking) => exchange.api(path, asking),
    'the other process': (path, asking) => other.api(path, asking),
  }
})
after(async () => {
  await other.remove()
  await exchange.stop()
})

const newShop = (name: string): Promise<NewPartner> => createPartner(ctx, { name }, 'test')
const estimatePath = '/v1/estimate?from_currency=EUR&to_currency=BTC&from_amount=100'
const statusWith = async (ask: Ask, key: string): Promise<number> => (await ask(estimatePath, { key })).status

/** Makes a change that does not hold yet, and expects that it holds in every process within two real seconds. */
async function inForce(holds: (ask: Ask) => Promise<boolean>, change: () => Promise<unknown>): Promise<void> {
  for (const [name, ask] of Object.entries(processes)) assert.equal(await holds(ask), false, `${name}, before`)
  await change()
  const begun = performance.now()
  await Promise.all(
    Object.entries(processes).map(async ([name, ask]) => {
      await until(() => holds(ask), `a change in ${name}`)
      const tookMs = performance.now() - begun
      assert.ok(tookMs < promised(2_000), `${name}: ${tookMs} ms`)
    }),
  )
}

describe('a change holds in every process within 2 seconds', () => {
  it('a key rotates with overlap: the new one works beside the old one, until that is revoked', async () => {
    const shop = await newShop('Rotating')
    const { key: old, text } = await createKey(ctx, { partnerId: shop.partner.id, kind: 'secret' }, 'test')
    for (const ask of Object.values(processes)) assert.equal(await statusWith(ask, text), 200)
    const next = await createKey(ctx, { partnerId: shop.partner.id, kind: 'secret' }, 'test')
    for (const ask of Object.values(processes)) {
      assert.deepEqual([await statusWith(ask, text), await statusWith(ask, next.text)], [200, 200])
    }
    await inForce(
      async (ask) => (await statusWith(ask, text)) === 401,
      () => revokeKey(ctx, old.id, 'test'),
    )
    for (const ask of Object.values(processes)) assert.equal(await statusWith(ask, next.text), 200)
  })

  it('the allow-list of a key, which keeps its text', async () => {
    const shop = await newShop('Allowed')
    const { key, text } = await createKey(ctx, { partnerId: shop.partner.id, kind: 'secret' }, 'test')
    await inForce(
      async (ask) => (await statusWith(ask, text)) === 403,
      () => changeKey(ctx, key.id, { allowIps: ['192.0.2.0/24'] }, 'test'),
    )
    await inForce(
      async (ask) => (await statusWith(ask, text)) === 200,
      () => changeKey(ctx, key.id, { allowIps: ['127.0.0.1', '::1'] }, 'test'),
    )
  })

  it('the end that is set for a key, and then nobody has to do anything', async () => {
    const shop = await newShop('Ending')
    const { key, text } = await createKey(ctx, { partnerId: shop.partner.id, kind: 'secret' }, 'test')
    const end = new Date(ctx.clock.realNow().getTime() + 4_000)
    await changeKey(ctx, key.id, { expires: end }, 'test')
    for (const ask of Object.values(processes)) {
      await until(async () => (await statusWith(ask, text)) === 401, 'the end of a key')
      const lateMs = ctx.clock.realNow().getTime() - end.getTime()
      assert.ok(lateMs >= 0 && lateMs < promised(2_000), `${lateMs} ms after its end`)
    }
    await inForce(
      async (ask) => (await statusWith(ask, text)) === 200,
      () => changeKey(ctx, key.id, { expires: 'never' }, 'test'),
    )
  })

  it('a feature', async () => {
    const shop = await newShop('Featured')
    const path = `${estimatePath}&customer_country=DE`
    await inForce(
      async (ask) => ((await ask(path, { key: shop.secret_key })).body.warnings as []).length === 0,
      () => switchFeature(ctx, shop.partner.id, { feature: 'customer_country', on: true }, 'test'),
    )
  })

  it('signing, and the keys of it, which rotate with overlap too', async () => {
    const shop = await newShop('Signing')
    const [first, second] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')]
    const pem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString()
    const set = (texts: Record<string, string>) => setPartner(ctx, shop.partner.id, texts, 'test')
    const signedBy = (key: KeyObject) => async (ask: Ask) => {
      const timestamp = String(Math.floor(ctx.clock.realNow().getTime() / 1_000))
      const once = randomUUID()
      const signature = sign(null, Buffer.from(`${timestamp}.GET.${estimatePath}.${once}.`), key).toString('base64')
      const headers = { 'partner-signature': signature, 'partner-timestamp': timestamp, 'idempotency-key': once }
      return (await ask(estimatePath, { key: shop.secret_key, headers })).status === 200
    }
    await inForce(
      async (ask) => (await statusWith(ask, shop.secret_key)) === 401,
      () => set({ signing: 'all', signing_key: pem(first.publicKey) }),
    )
    await inForce(signedBy(second.privateKey), () => set({ signing_key: pem(first.publicKey) + pem(second.publicKey) }))
    for (const ask of Object.values(processes)) assert.ok(await signedBy(first.privateKey)(ask))
    await inForce(
      async (ask) => !(await signedBy(first.privateKey)(ask)),
      () => set({ signing_key: pem(second.publicKey) }),
    )
  })

  it('fees: a commission, and a price list as a policy of the partner', async () => {
    const shop = await newShop('Priced')
    const feesBy = async (ask: Ask) =>
      (await ask(estimatePath, { key: shop.secret_key })).body.service_fees as { name: string; percentage: string }[]
    const document = feesDocument({ service: { buy: '0.25%', sell: '0.25%', swap: '0.25%' } })
    await inForce(
      async (ask) => {
        const found = Object.fromEntries((await feesBy(ask)).map(({ name, percentage }) => [name, percentage]))
        return found['Service fee'] === '0.25%' && found['Partner fee'] === '1.37%'
      },
      async () => {
        await setPartner(ctx, shop.partner.id, { fees: JSON.stringify({ commission_percent: '1.37' }) }, 'test')
        await putInForce(ctx, { kind: 'fees', document, partnerId: shop.partner.id })
      },
    )
  })

  it('limits, of the account and of a side', async () => {
    const shop = await newShop('Limited')
    const limits = JSON.stringify({ max: '5000', buy: { max: '99' } })
    await inForce(
      async (ask) => (await statusWith(ask, shop.secret_key)) === 400,
      () => setPartner(ctx, shop.partner.id, { limits }, 'test'),
    )
    for (const ask of Object.values(processes)) {
      const sell = '/v1/market-info/min-max-range/USDT-TRX_EUR'
      const buy = '/v1/market-info/min-max-range/EUR_BTC'
      const most = async (path: string) => Number((await ask(path, { key: shop.secret_key })).body.max)
      assert.equal(await most(buy), 99)
      assert.ok((await most(sell)) > 4_000)
    }
  })

  it('how often an account may ask, create, and create for one customer; other accounts as before', async () => {
    const [shop, stranger] = [await newShop('Slow'), await newShop('Quick')]
    const set = (texts: Record<string, string>) => setPartner(ctx, shop.partner.id, texts, 'test')
    const create = (key: string, customer: object = {}) => ({
      key,
      body: { from_amount: 100, from_currency: 'EUR', to_currency: 'BTC', customer },
    })
    const isLimited = async (ask: Ask, asked: () => Asking, path = '/v1/transaction') => {
      const told = [await ask(path, asked()), await ask(path, asked()), await ask(path, asked())]
      return told.some(({ status }) => status === 429)
    }
    const customer = { ip: '198.51.100.7' }
    await inForce(
      (ask) => isLimited(ask, () => create(shop.secret_key, customer)),
      () => set({ customer_ip_per_second: '1', customer_ip_burst: '1' }),
    )
    for (const ask of Object.values(processes)) {
      assert.equal(await isLimited(ask, () => create(stranger.secret_key, customer)), false)
      assert.equal(await isLimited(ask, () => create(shop.secret_key)), false)
    }
    await inForce(
      (ask) => isLimited(ask, () => create(shop.secret_key)),
      () => set({ creates_per_second: '1', creates_burst: '1' }),
    )
    const reading = () => ({ key: shop.secret_key })
    await inForce(
      (ask) => isLimited(ask, reading, estimatePath),
      () => set({ key_per_second: '1', key_burst: '1' }),
    )
    await set({ key_per_second: 'default', key_burst: 'default' })
    for (const ask of Object.values(processes)) {
      await until(async () => !(await isLimited(ask, reading, estimatePath)), 'the usual limits')
      assert.equal(await isLimited(ask, () => create(stranger.secret_key)), false)
    }
  })
})

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { base32 } from '@scure/base'

import { beginSecondFactor, confirmSecondFactor, createOperator } from '../../src/exchange/operators/operator.ts'
import { totpCode } from '../../src/exchange/operators/totp.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { lookup } from '../support/journey.ts'
import { actionOf, formsIn, valuesOf } from '../support/page-forms.ts'
import { type ServedExchange, serveExchange } from '../support/process.ts'
import { asOwner } from '../support/server.ts'
import { password, staffBrowser } from '../support/staff-browser.ts'

let exchange: Exchange
let beside: ServedExchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  beside = await serveExchange({ DATABASE_URL: exchange.ownerUrl, DATA_DIR: exchange.dataDir, LOG_LEVEL: 'error' })
})
after(async () => {
  await beside.remove()
  await exchange.stop()
})

const ctx = () => exchange.service.composition.ctx
const here = staffBrowser(() => exchange)
const there = staffBrowser(() => ({ ...exchange, url: beside.sandbox.url }))

type Form = Record<string, string>

async function formOf(path: string, cookie: string, action: string): Promise<Form> {
  const { body } = await here.ask(path, { cookie })
  const found = formsIn(body, path).find((form) => actionOf(form) === action)
  return found ? valuesOf(found) : assert.fail(`${path} has no form for ${action}`)
}

/** Sends a form to both processes at once; the answers lead where the first one did. */
async function pressBoth(path: string, cookie: string, form: Form): Promise<void> {
  const seen = await Promise.all([here.ask(path, { cookie, form }), there.ask(path, { cookie, form })])
  const alert = ({ body }: { body: string }) => /role="alert"[^<]*>([^<]*)</.exec(body)?.[1] ?? ''
  for (const one of seen) assert.ok(one.status < 400, `${one.status}: ${alert(one)}`)
}

describe('a form that is sent to two processes at once', () => {
  it('uses its code once, does what it says once, and nobody is refused', async () => {
    const email = 'twice@example.com'
    const { id } = await createOperator(ctx(), { email, password, role: 'admin' }, 'cli:test')
    const cookie = await here.signIn(email)
    const [session] = await lookup<{ id: bigint }>(
      exchange,
      'select id from operator_sessions where operator_id = $1',
      [id],
    )
    const { text } = await beginSecondFactor(ctx(), { operatorId: id, email })
    const step = () => BigInt(Math.trunc(Date.now() / 30_000))
    const codeOf = (at: bigint) => totpCode(Buffer.from(base32.decode(text)), at)
    await confirmSecondFactor(ctx(), id, codeOf(step()), session?.id)
    for (let round = 1; round <= 25; round += 1) {
      // Otherwise each round would wait for the next code.
      await asOwner(exchange.ownerUrl, (client) =>
        client.query('update operators set totp_step = 1 where id = $1', [String(id)]),
      )
      const form = { ...(await formOf('/console/account', cookie, 'renew-codes')), code: codeOf(step()) }
      await pressBoth('/console/account', cookie, form)
      const made = await lookup(
        exchange,
        `select 1 from audit where action = 'operator.recovery_codes_made' and subject = $1`,
        [`operator:${id}`],
      )
      assert.equal(made.length, round)
    }
  })

  it('ends what can be ended once, and nobody is refused', async () => {
    await createOperator(ctx(), { email: 'ending@example.com', password, role: 'admin' }, 'cli:test')
    const cookie = await here.signIn('ending@example.com')
    const path = `/console/partners/${exchange.sandbox.partner_id}`
    for (let round = 1; round <= 12; round += 1) {
      const made = { ...(await formOf(path, cookie, 'create')), label: `round ${round}` }
      await pressBoth(path, cookie, made)
      const keys = await lookup<{ id: bigint }>(exchange, 'select id from api_keys where label = $1', [
        `round ${round}`,
      ])
      assert.equal(keys.length, 1)
      const ending = { ...(await formOf(path, cookie, 'revoke')), key: String(keys[0]?.id) }
      await pressBoth(path, cookie, ending)
      const ended = await lookup(exchange, `select 1 from audit where action = 'key.revoked' and subject = $1`, [
        `key:${keys[0]?.id}`,
      ])
      assert.equal(ended.length, 1)
    }
  })
})

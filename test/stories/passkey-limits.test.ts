import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { addKey, endKey } from '../../src/exchange/operators/operator-keys.ts'
import type { Ctx } from '../../src/exchange/context.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { formsIn, valuesOf } from '../support/page-forms.ts'
import { someone } from '../support/signing.ts'
import { addToPortal, softPasskey, type SoftPasskey } from '../support/soft-passkey.ts'

let exchange: Exchange
let base: string
/** A passkey at each area. */
const passkeys = new Map<string, SoftPasskey>()

before(async () => {
  exchange = await startExchange()
  base = exchange.url.replace('127.0.0.1', 'localhost')
  const { ctx } = exchange.service.composition
  const atPortal = softPasskey(base)
  await addToPortal(exchange, atPortal, exchange.sandbox.portal.email)
  passkeys.set('portal', atPortal)
  passkeys.set('console', (await passkeyOfOperator(ctx)).passkey)
})
after(() => exchange.stop())

/** A passkey at the console of an operator who has no other. */
async function passkeyOfOperator(ctx: Ctx): Promise<{ passkey: SoftPasskey; id: bigint }> {
  const passkey = softPasskey(base)
  const { id } = await addKey(ctx, await someone(ctx), passkey.key, { at: 'machine', actor: 'test' })
  return { passkey, id }
}

const send = (area: string, form: Record<string, string>): Promise<Response> =>
  fetch(`${base}/${area}/passkeys/sign-in`, {
    method: 'POST',
    body: new URLSearchParams(form),
    headers: { origin: base },
    redirect: 'manual',
  })

/** The form of a sign-in page for passkeys, and what it asks a browser for. */
async function shown(area: string): Promise<{ form: Record<string, string>; asked: string }> {
  const path = `/${area}/sign-in`
  const page = await (await fetch(base + path)).text()
  const form = formsIn(page, path).find((one) => one.path.includes('passkeys')) ?? assert.fail('no form')
  return { form: valuesOf(form), asked: form.fields.find(({ asked }) => asked)?.asked ?? '' }
}

/** What a browser with the passkey sends. */
async function signed(area: string, passkey = passkeys.get(area)): Promise<Record<string, string>> {
  const { form, asked } = await shown(area)
  return { ...form, passkey: passkey?.answer(asked) ?? '' }
}

const signIn = async (area: string): Promise<Response> => send(area, await signed(area))

/** An answer of somebody else that names a passkey of which only the credential is known. */
async function guess(area: string): Promise<Response> {
  const { form, asked } = await shown(area)
  const made = JSON.parse(softPasskey(base).answer(asked)) as object
  const id = passkeys.get(area)?.credential.toString('base64url')
  return send(area, { ...form, passkey: JSON.stringify({ ...made, id }) })
}

for (const area of ['console', 'portal'])
  it(`a passkey of the ${area} signs in at once in an unknown browser, after 25 wrong assertions by its credential from the same network`, async () => {
    for (let at = 0; at < 25; at += 1) assert.equal((await guess(area)).status, 401)
    assert.equal((await signIn(area)).status, 303)
  })

for (const area of ['console', 'portal']) {
  describe(`a passkey of the ${area}`, () => {
    it('signs in after more than 200 empty tries of strangers in the same network, which are refused by then, and so are wrong assertions', async () => {
      const { form } = await shown(area)
      for (let at = 0; at < 210; at += 1) await (await send(area, { ...form, passkey: '' })).text()
      assert.equal((await send(area, { ...form, passkey: '' })).status, 429)
      assert.equal((await guess(area)).status, 429)
      assert.equal((await signIn(area)).status, 303)
    })

    it('signs in as often as it likes: only failures count', async () => {
      for (let at = 0; at < 22; at += 1) assert.equal((await signIn(area)).status, 303)
    })
  })
}

describe('once a network has used its tries up', () => {
  for (const area of ['console', 'portal'])
    it(`an answer of a passkey that has opened the ${area} before is refused as a try, and a new one opens it`, async () => {
      const answer = await signed(area)
      assert.equal((await send(area, answer)).status, 303)
      // Not the same form: another token, so that it is not a double click.
      const { once } = await signed(area)
      assert.equal((await send(area, { ...answer, once: once ?? '' })).status, 429)
      assert.equal((await signIn(area)).status, 303)
    })

  it('a passkey of an operator that has ended is refused as a try, and so is one that waits to be countersigned', async () => {
    const { ctx } = exchange.service.composition
    const { passkey, id } = await passkeyOfOperator(ctx)
    await endKey(ctx, id, 'test')
    assert.equal((await send('console', await signed('console', passkey))).status, 429)
    const waiting = await passkeyOfOperator(ctx)
    const { environment } = ctx.config
    try {
      ctx.config.environment = { ...environment, operatorKeys: true }
      assert.equal((await send('console', await signed('console', waiting.passkey))).status, 429)
    } finally {
      ctx.config.environment = environment
    }
    assert.equal((await signIn('console')).status, 303)
  })
})

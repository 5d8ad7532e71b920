import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { addKey } from '../../src/exchange/operators/operator-keys.ts'
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
  const [atConsole, atPortal] = [softPasskey(base), softPasskey(base)]
  await addKey(ctx, await someone(ctx), atConsole.key, { at: 'machine', actor: 'test' })
  await addToPortal(exchange, atPortal, exchange.sandbox.portal.email)
  passkeys.set('console', atConsole)
  passkeys.set('portal', atPortal)
})
after(() => exchange.stop())

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

async function signIn(area: string): Promise<Response> {
  const { form, asked } = await shown(area)
  return send(area, { ...form, passkey: passkeys.get(area)?.answer(asked) ?? '' })
}

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

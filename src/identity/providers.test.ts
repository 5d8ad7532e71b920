import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'

import { ConfigError, readConfig } from '../app/config/config.ts'
import { openLive } from '../app/live.ts'
import type { OpenPlugIn } from '../app/plug-in.ts'
import { openSandbox } from '../sandbox/open.ts'
import { testContext } from '../../test/support/api.ts'
import { testDatabase } from '../../test/support/database.ts'
import { openCcxt } from '../markets/ccxt/process.ts'
import { identityProviders } from './providers.ts'

const sumsub = {
  SUMSUB_APP_TOKEN: 'sbx:token-1',
  SUMSUB_SECRET_KEY: 'secret-key-1',
  SUMSUB_WEBHOOK_SECRET: 'webhook-1',
}

async function open(t: TestContext, env: Record<string, string>, openers: OpenPlugIn[]) {
  const database = await testDatabase()
  const ctx = await testContext(database)
  const plugIns = await Promise.all(
    openers.map((one) => one({ ...ctx, ccxt: openCcxt({ log: ctx.log, timeoutMs: 1_000 }), config: readConfig(env) })),
  )
  const providers = identityProviders(plugIns.flatMap((one) => one.identityProviders ?? []))
  t.after(async () => {
    await providers.close()
    await ctx.db.close()
    await database.drop()
  })
  return providers
}

/** What a refusal says of these settings. */
function complaintOf(env: Record<string, string>): string {
  try {
    readConfig(env)
    return ''
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.message
  }
}

test('a token of the sandbox goes to the sandbox, whichever provider is named', async (t) => {
  const providers = await open(t, sumsub, [openLive, openSandbox])
  assert.equal(providers.forToken('sumsub', '_act-sandbox-approved-1')?.name, 'sandbox')
  assert.equal(providers.forToken('sandbox', '_act-sandbox-approved-1')?.name, 'sandbox')
  assert.equal(providers.forToken('sumsub', '_act-jwt-1')?.name, 'sumsub')
  assert.equal(providers.forToken('other', '_act-sandbox-approved-1'), undefined)
})

test('without credentials there is no Sumsub: in the sandbox its tokens are unknown ones, live there is no provider', async (t) => {
  const played = await open(t, {}, [openLive, openSandbox])
  assert.equal(played.named('sumsub'), undefined)
  const substitute = played.forToken('sumsub', '_act-jwt-1')
  assert.equal(substitute?.name, 'sandbox')
  await assert.rejects(
    substitute.importByToken({ token: '_act-jwt-1', reference: 'one' }),
    /The shared token cannot be used/,
  )

  const bare = await open(t, {}, [openLive])
  assert.equal(bare.forToken('sumsub', '_act-jwt-1'), undefined)
  const live = await open(t, sumsub, [openLive])
  assert.equal(live.forToken('sumsub', '_act-sandbox-approved-1')?.name, 'sumsub')
  assert.equal(live.named('sandbox'), undefined)
})

test('credentials come together, and a wrong one is not repeated', () => {
  assert.match(complaintOf({ SUMSUB_APP_TOKEN: 'sbx:token-1' }), /SUMSUB_APP_TOKEN: requires SUMSUB_SECRET_KEY/)
  assert.match(complaintOf({ ...sumsub, SUMSUB_SECRET_KEY: '' }), /SUMSUB_APP_TOKEN: requires/)
  assert.equal(complaintOf(sumsub), '')
  const complaint = complaintOf({ ...sumsub, SUMSUB_SECRET_KEY: 'with a space' })
  assert.match(complaint, /SUMSUB_SECRET_KEY: must have 8 to 512 printable/)
  assert.ok(!complaint.includes('with a space'))
})

test('real money does not go by the reviews of a sandbox', () => {
  assert.match(complaintOf({ ...sumsub, MODE: 'live' }), /SUMSUB_APP_TOKEN: is a token for Sumsub's sandbox/)
  assert.doesNotMatch(complaintOf({ ...sumsub, MODE: 'live', SUMSUB_APP_TOKEN: 'prd:token-1' }), /SUMSUB/)
})

test('credentials are sent over TLS, or stay on this machine', () => {
  const complaints = (url: string) => complaintOf({ ...sumsub, SUMSUB_URL: url }) !== ''
  assert.equal(complaints('https://api.sumsub.com'), false)
  assert.equal(complaints('http://127.0.0.1:9000'), false)
  for (const url of [
    'http://api.sumsub.com',
    'https://api.sumsub.com/x',
    'https://u:p@api.sumsub.com',
    'ftp://x',
    'x',
  ]) {
    assert.equal(complaints(url), true, url)
  }
})

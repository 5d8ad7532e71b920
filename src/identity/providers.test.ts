import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'

import { ConfigError, readConfig } from '../app/config/config.ts'
import { systemClock } from '../platform/lib/clock.ts'
import { silentLog } from '../platform/lib/log.ts'
import { closedOffice } from '../../test/support/sandbox-identity.ts'
import { openIdentityProviders } from './providers.ts'

const sumsub = {
  SUMSUB_APP_TOKEN: 'sbx:token-1',
  SUMSUB_SECRET_KEY: 'secret-key-1',
  SUMSUB_WEBHOOK_SECRET: 'webhook-1',
}

function open(t: TestContext, env: Record<string, string>, mode: 'sandbox' | 'live' = 'sandbox') {
  const providers = openIdentityProviders(
    { ...readConfig(env), mode },
    { clock: systemClock(), log: silentLog, office: closedOffice },
  )
  t.after(() => providers.close())
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

test('a token of the sandbox goes to the sandbox, whichever provider is named', (t) => {
  const providers = open(t, sumsub)
  assert.equal(providers.forToken('sumsub', '_act-sandbox-approved-1')?.name, 'sandbox')
  assert.equal(providers.forToken('sandbox', '_act-sandbox-approved-1')?.name, 'sandbox')
  assert.equal(providers.forToken('sumsub', '_act-jwt-1')?.name, 'sumsub')
  assert.equal(providers.forToken('other', '_act-sandbox-approved-1'), undefined)
})

test('without credentials there is no Sumsub, and in live mode no sandbox', (t) => {
  assert.equal(open(t, {}).forToken('sumsub', '_act-jwt-1'), undefined)
  assert.equal(open(t, {}).named('sumsub'), undefined)
  const live = open(t, sumsub, 'live')
  assert.equal(live.forToken('sumsub', '_act-sandbox-approved-1')?.name, 'sumsub')
  assert.equal(live.named('sandbox'), undefined)
})

test('credentials come together, and a wrong one is not repeated', () => {
  assert.match(complaintOf({ SUMSUB_APP_TOKEN: 'sbx:token-1' }), /SUMSUB_APP_TOKEN: goes with SUMSUB_SECRET_KEY/)
  assert.match(complaintOf({ ...sumsub, SUMSUB_SECRET_KEY: '' }), /SUMSUB_APP_TOKEN: goes with/)
  assert.equal(complaintOf(sumsub), '')
  const complaint = complaintOf({ ...sumsub, SUMSUB_SECRET_KEY: 'with a space' })
  assert.match(complaint, /SUMSUB_SECRET_KEY: is not a secret/)
  assert.ok(!complaint.includes('with a space'))
})

test('real money does not go by the reviews of a sandbox', () => {
  assert.match(complaintOf({ ...sumsub, MODE: 'live' }), /SUMSUB_APP_TOKEN: is of Sumsub's sandbox/)
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

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'

import { testDatabase } from '../../../test/support/database.ts'
import { testSecrets } from '../../../test/support/test-secrets.ts'
import { ConfigError, readConfig } from '../../app/config/config.ts'
import { openPool } from '../../platform/db/pool.ts'
import { systemClock } from '../../platform/lib/clock.ts'
import { silentLog } from '../../platform/lib/log.ts'
import { openRails, railToolsOf } from '../../app/rails.ts'
import { createKeystore } from './rails.ts'

const folder = mkdtempSync(join(tmpdir(), 'cambio-evm-open-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const password = 'a-password-for-tests'
const keystore = join(folder, 'keystore')
const own = { DATA_DIR: folder, EVM_KEYSTORE_FILE: keystore, EVM_KEYSTORE_PASSWORD: password }
const secret = 'https://node.example.com/v3/a-secret-key'

describe('the settings of chains of the EVM', () => {
  it('are refused without the keys for them, and never shown', () => {
    const wrong: [Record<string, string>, RegExp][] = [
      [{ EVM_RPC_URLS: `ETH=${secret}` }, /EVM_RPC_URLS: requires EVM_KEYSTORE_FILE/],
      [{ ...own, EVM_RPC_URLS: secret }, /must be a list of NAME=URL/],
      [{ ...own, EVM_RPC_URLS: `ETH=ftp://a-secret-key` }, /no http or https URL for ETH/],
      [{ ...own, EVM_RPC_URLS: `ETH=${secret},eth=${secret}` }, /names a network twice/],
      [{ ...own, EVM_KEYSTORE_PASSWORD: 'a secret-key' }, /EVM_KEYSTORE_PASSWORD: must have 8 to 512 printable/],
    ]
    for (const [settings, sentence] of wrong) {
      assert.throws(
        () => readConfig({ DATA_DIR: folder, ...settings }),
        (error) =>
          error instanceof ConfigError && sentence.test(error.message) && !error.message.includes('secret-key'),
        JSON.stringify(settings),
      )
    }
  })

  it('open nothing where no chain is real, and refuse a network of another kind or a wrong password', async () => {
    const { url } = await testDatabase()
    const db = openPool({ urls: [url], size: 2 })
    const dependencies = { db, clock: systemClock(), log: silentLog, secrets: testSecrets }
    const openWith = (settings: Record<string, string>) => {
      const config = readConfig({ DATA_DIR: folder, ...settings })
      return openRails([], railToolsOf({ ...dependencies, config }))
    }
    try {
      assert.equal((await openWith({})).rails.length, 0)
      await createKeystore(keystore, password)
      await assert.rejects(openWith({ ...own, EVM_RPC_URLS: `BTC=${secret}` }), /BTC is no network of the EVM/)
      const wrong = { ...own, EVM_RPC_URLS: `ETH=${secret}`, EVM_KEYSTORE_PASSWORD: 'another-password' }
      await assert.rejects(openWith(wrong), /does not open the keystore/)
      const { rails, kinds } = await openWith({ ...own, EVM_RPC_URLS: `ETH=${secret},base=${secret}` })
      assert.deepEqual(
        rails.map(({ name }) => name),
        ['evm-eth', 'evm-base'],
      )
      const opening = ['ETH', 'BASE', 'ARB'].map((network) => kinds[0]?.openingBalance?.(network) !== undefined)
      assert.deepEqual(opening, [true, true, false])
    } finally {
      await db.close()
    }
  })
})

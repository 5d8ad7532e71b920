import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'

import { calculatorUrl } from '../../docs/partner/samples/sign-calculator.ts'
import { projectRoot } from '../../src/platform/lib/root.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'

const run = promisify(execFile)
const samples = join(projectRoot, 'docs/partner/samples')

let exchange: Exchange
before(async () => {
  exchange = await startExchange()
})
after(() => exchange.stop())

/** Parameters that are easy to encode wrongly. */
const parameters = {
  theme: 'dark',
  crypto_currencies_list: '[{"ticker":"USDT","network":"TRX"}]',
  external_partner_link_id: "it's (a) ~tilde* & more! ä€",
  redirects_successful: 'https://shop.example/done?id=$$&x=1+2',
}

const isShown = async (url: string): Promise<boolean> => (await fetch(url)).status === 200

describe('the samples that sign a calculator', () => {
  it('in TypeScript make an address that is shown', async () => {
    const { url, sandbox } = exchange
    const account = { partnerId: sandbox.partner_id, widgetSecret: sandbox.widget_secret }
    assert.ok(await isShown(calculatorUrl(url, account, parameters)))
  })

  it('in Python and PHP, wherever the machine speaks them, make the same address', async () => {
    const { url, sandbox } = exchange
    const { partner_id: id, widget_secret: secret } = sandbox
    const right = calculatorUrl(url, { partnerId: id, widgetSecret: secret }, parameters)
    const told = JSON.stringify([url, id, secret, parameters])
    const python = `import json, sys; sys.path.insert(0, sys.argv[1]); from sign_calculator import calculator_url; print(calculator_url(*json.loads(sys.argv[2])))`
    const php = `require $argv[1] . '/sign_calculator.php'; echo calculator_url(...json_decode($argv[2], true));`
    const programs = [
      ['python3', ['-c', python, samples, told]],
      ['php', ['-r', php, '--', samples, told]],
    ] as const
    for (const [program, given] of programs) {
      const spoken = await run(program, [...given]).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined
        throw error
      })
      if (spoken) assert.equal(spoken.stdout.trim(), right, program)
    }
  })
})

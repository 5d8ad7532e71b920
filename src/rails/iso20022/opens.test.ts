import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { randomInt } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import fc from 'fast-check'

import { testContext } from '../../../test/support/api.ts'
import { testDatabase } from '../../../test/support/database.ts'
import { newKeys } from '../../../test/support/sftp-server.ts'
import { checkConfigFile, secretOf } from '../../app/config/file.ts'
import type { Ctx } from '../../exchange/context.ts'
import { silentLog } from '../../platform/lib/log.ts'
import { openBankRails } from './rails.ts'
import type { BankEntry } from './settings.ts'

let ctx: Ctx
const folder = mkdtempSync(join(tmpdir(), 'cambio-opens-'))
before(async () => {
  ctx = await testContext(await testDatabase())
  for (const name of ['first/in', 'odd', 'schemas', 'empty']) mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, 'a-file'), '')
  writeFileSync(join(folder, 'odd/refused'), '')
  writeFileSync(join(folder, 'schemas/a.xsd'), '')
  writeFileSync(join(folder, 'private'), newKeys().private)
  writeFileSync(join(folder, 'public'), newKeys().public)
  symlinkSync(join(folder, 'first/in'), join(folder, 'linked'))
})
after(async () => {
  await ctx.db.close()
  rmSync(folder, { recursive: true })
})

/** What works, and now and then something else. */
const mostly = <Value>(usual: Value, ...others: Value[]): fc.Arbitrary<Value> =>
  fc.oneof(
    { weight: 24, arbitrary: fc.constant(usual) },
    ...others.map((other) => ({ weight: 1, arbitrary: fc.constant(other) })),
  )

const account = (iban: string) =>
  fc.record({
    currency: mostly('EUR', 'GBP', 'XXX'),
    iban: mostly(iban, 'DE02120300000000202051', 'DE02120300000000202052'),
    bic: mostly('BYLADEM1001', 'BYLA1234'),
    holder: fc.constant('Example Ltd'),
  })
const sftp = (name: string) =>
  fc.record({
    host: fc.constant('bank.example'),
    user: fc.constant('us'),
    key: mostly('file:./private', 'file:./public', 'file:./none'),
    host_key: mostly(`SHA256:${'a'.repeat(43)}`, 'SHA256:short'),
    in: mostly(`/${name}/in`, '/first/in'),
    out: mostly(`/${name}/out`, '/first/in'),
  })
const bank = (name: string, iban: string) =>
  fc.record(
    {
      in: mostly(`./${name}/in`, './first/in', './linked', './a-file/in', './odd'),
      out: mostly(`./${name}/out`, './first/in', './first/in/done'),
      accounts: fc.tuple(account(iban)),
      serves: mostly(['SEPA'], ['SEPA', 'SWIFT'], ['FASTERPAYMENTS']),
      ignore: mostly(['DE89370400440532013000'], [], [iban]),
      schemas: mostly('./schemas', './empty'),
      sftp: sftp(name),
    },
    { requiredKeys: ['in', 'out', 'accounts', 'serves'] },
  )
const twoBanks = fc.tuple(bank('first', 'DE02120300000000202051'), bank('second', 'DE75512108001245126199'))

test('banks that `config check` accepts open, and those that it refuses do not', async (t) => {
  const seed = randomInt(2 ** 31)
  t.diagnostic(`seed ${seed}`)
  const outcomes = { opens: 0, refused: 0 }
  for (const banks of fc.sample(twoBanks, { seed, numRuns: 150 })) {
    const rails = banks.map((one, at) => ({ kind: 'iso20022', name: `bank-${at}`, every: 'PT1S', ...one }))
    const file = join(folder, 'config.yaml')
    writeFileSync(file, JSON.stringify({ rails }))
    const { problems } = checkConfigFile(file)
    const { db, clock, secrets } = ctx
    const readSecret = (reference: string) => secretOf(reference, { folder })
    const open = () => openBankRails(rails as BankEntry[], { db, clock, secrets, log: silentLog, folder, readSecret })
    if (problems.length === 0) assert.equal((await open()).rails.length, banks.length)
    else await assert.rejects(open, JSON.stringify(problems))
    outcomes[problems.length === 0 ? 'opens' : 'refused'] += 1
  }
  assert.ok(outcomes.opens > 10 && outcomes.refused > 30, JSON.stringify(outcomes))
})

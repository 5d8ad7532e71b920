import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { bookOwnMoney } from '../../src/exchange/operations/own-money.ts'
import { listSuspense } from '../../src/exchange/operations/suspense.ts'
import { halt, resume } from '../../src/exchange/settlement/halts.ts'
import { ourAccount } from './bank-exchange.ts'
import { type CommandLine, commandLine } from './command.ts'
import { type TestDatabase, testDatabase } from './database.ts'
import { type Exchange, startExchange } from './exchange.ts'
import { type BankOrder, FolderBank } from './folder-bank.ts'
import { checkOut, create, lookup, pay } from './journey.ts'
import { asOwner, closeKept, dropDatabase, onDatabase } from './server.ts'
import { someone } from './signing.ts'
import { until } from './telling.ts'

const nameOf = ({ ownerUrl }: TestDatabase): string => new URL(ownerUrl).pathname.slice(1)

/** Replaces a database by a copy of another one, to which nobody may be connected. */
export async function copyDatabase(from: TestDatabase, to: TestDatabase): Promise<void> {
  await closeKept(from.ownerUrl)
  await asOwner(onDatabase(from.ownerUrl, 'template1'), async (client) => {
    await dropDatabase(client, nameOf(to))
    await client.query(`create database ${nameOf(to)} template ${nameOf(from)} strategy file_copy`)
  })
}

/** Orders by how far their payouts were when the database was copied. */
export type PaidOrders = Readonly<Record<string, string>>

/** An exchange with a bank, before and after its database went back to an earlier moment. */
export type RestoredBank = Awaited<ReturnType<typeof startRestoredBank>>

type World = ReturnType<typeof newWorld>

function newWorld(folder: string) {
  const bank = new FolderBank(join(folder, 'bank'), 0n)
  const out = join(bank.folder, 'out')
  for (const part of ['in', 'out']) mkdirSync(join(bank.folder, part), { recursive: true })
  let exchange: Exchange | undefined
  let line: CommandLine | undefined
  const here = () => exchange ?? assert.fail('It has not been started.')

  async function start({ ownerUrl }: TestDatabase, { data = 'data', cutoffs = '' } = {}): Promise<void> {
    const file = join(folder, 'exchange.yaml')
    writeFileSync(
      file,
      `rails:
  - { kind: iso20022, name: bank-1, in: ./bank/in, out: ./bank/out, every: PT0.2S, serves: [SEPA]${cutoffs},
      accounts: [${ourAccount}] }
`,
    )
    const env = { DATABASE_URL: ownerUrl, DATA_DIR: join(folder, data), CONFIG_FILE: file }
    exchange = { ...(await startExchange({ ...env, RATE_LIMITS: 'off', LOG_LEVEL: 'fatal' })), ownerUrl }
    line = commandLine(env)
  }

  const ctx = () => here().service.composition.ctx
  const rail = { scope: 'rail', name: 'bank-1' } as const
  const count = async (rows: string): Promise<number> =>
    (await lookup<{ n: number }>(here(), `select count(*)::int as n from ${rows}`))[0]?.n ?? 0
  async function ordered(): Promise<string> {
    const { id } = await create(here(), { from_currency: 'BTC', from_amount: '0.001', to_currency: 'EUR' })
    await checkOut(here(), id)
    return id
  }
  return {
    bank,
    out,
    here,
    ctx,
    start,
    line: () => line ?? assert.fail('It has not been started.'),
    ordered,
    /** Sells bitcoin, and pays for it. */
    sell: async (): Promise<string> => {
      const id = await ordered()
      await pay(here(), id)
      return id
    },
    untilOne: (rows: string) => until(async () => (await count(rows)) === 1, rows),
    stopRail: () => halt(ctx(), rail, { reason: 'The bank is silent.', actor: 'test' }),
    resumeRail: async (): Promise<void> => {
      for (const operator of [await someone(ctx()), await someone(ctx())])
        await resume(ctx(), rail, { reason: 'The bank answers.', operator })
    },
  }
}

const waits = `iso20022_payments where state = 'queued'`

/** Starts with money at a bank that takes payments in an hour. */
async function startFunded({ bank, ctx, start }: World, database: TestDatabase): Promise<void> {
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString().slice(11, 16)
  await start(database, { cutoffs: `, cutoffs: ["${inAnHour}"]` })
  const payments = [{ remittance: 'Capital', amount: '2000.00' }]
  bank.state([{ amount: '2000.00', servicerReference: 'W-1', payments }])
  await until(async () => (await listSuspense(ctx())).length === 1, 'the capital')
  const [money] = await listSuspense(ctx())
  await bookOwnMoney(ctx(), String(money?.id), { category: 'capital', actor: 'test', reason: 'Our capital.' })
}

/** One payment that waits for the next file, and nothing else. */
async function queueOne({ sell, untilOne }: World): Promise<PaidOrders> {
  const queued = await sell()
  await untilOne(waits)
  return { queued }
}

/** Payouts that are as far as they can be before their file has left: in a file, in the queue, prepared, covered, not even owed. */
async function payAll({ out, here, ctx, ordered, untilOne, stopRail }: World): Promise<PaidOrders> {
  const [filed, queued, planned] = [await ordered(), await ordered(), await ordered()]
  const [reserved, unpaid] = [await ordered(), await ordered()]
  // A file whose folder is gone cannot leave.
  rmSync(out, { recursive: true })
  await pay(here(), filed)
  await untilOne(waits)
  await lookup(here(), `update iso20022_payments set submitted_at = submitted_at - interval '1 day'`)
  await untilOne('iso20022_batches')
  await pay(here(), queued)
  await untilOne(waits)
  const half = ctx().rails.payout('bank-1')?.payout ?? assert.fail()
  half.submit = () => Promise.reject(new Error('The process is killed here.'))
  await pay(here(), planned)
  await untilOne(`plans where state = 'unknown'`)
  await stopRail()
  await pay(here(), reserved)
  await untilOne(`payouts where state = 'reserved'`)
  return { filed, queued, planned, reserved, unpaid }
}

/** Sells to be paid out by a bank, copies the database, lets every payment file leave, and starts on the copy. */
export async function startRestoredBank({
  where,
  payouts = 'all',
}: {
  where: 'same server' | 'other server'
  payouts?: 'all' | 'one in the queue'
}) {
  const folder = mkdtempSync(join(tmpdir(), 'cambio-restored-bank-'))
  const [original, backup, restored] = [await testDatabase(), await testDatabase(), await testDatabase()]
  const world = newWorld(folder)
  const { bank, out, here, start } = world
  await startFunded(world, original)
  const orders = payouts === 'all' ? await payAll(world) : await queueOne(world)
  await here().stop()
  await copyDatabase(original, backup)

  mkdirSync(out, { recursive: true })
  await start(original)
  if (payouts === 'all') await world.resumeRail()
  if (orders.unpaid) await pay(here(), orders.unpaid)
  const left: BankOrder[] = []
  const count = Object.keys(orders).length
  await until(() => Promise.resolve(left.push(...bank.collect()) >= count), 'the payment files')
  assert.equal(new Set(left.map(({ endToEndId }) => endToEndId)).size, count)
  await here().stop()
  await copyDatabase(backup, restored)
  const [data, other] = [join(folder, 'data'), join(folder, 'elsewhere')]
  if (where === 'other server') {
    await asOwner(restored.ownerUrl, (client) => client.query(`update service_state set system_identifier = '1'`))
    cpSync(data, other, { recursive: true })
    rmSync(join(other, 'last-seen.json'))
  }
  await start(restored, { data: where === 'other server' ? 'elsewhere' : 'data' })
  return {
    ...world,
    /** As they were at the moment of the copy. */
    orders,
    /** What the bank was ordered after that moment, and has not answered. */
    left,
    stop: async () => {
      await here().stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'

import pg from 'pg'

import { serviceUrlOf } from '../../src/app/database.ts'
import { verify } from '../../src/exchange/checks/verify.ts'
import { closeIfRestored, openRestored } from '../../src/exchange/operations/restore.ts'
import { endCreditingHalt, halt, haltCrediting, type HaltSubject, resume } from '../../src/exchange/settlement/halts.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { lookup } from '../support/journey.ts'
import { someone } from '../support/signing.ts'

let exchange: Exchange
let intruder: pg.Client

before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', LOG_LEVEL: 'silent' })
  intruder = new pg.Client({ connectionString: serviceUrlOf(exchange.ownerUrl, ctx().secrets) })
  await intruder.connect()
  // As where the owner of the tables does not own the database.
  await lookup(exchange, `grant temporary on database ${new URL(exchange.ownerUrl).pathname.slice(1)} to public`)
})
after(async () => {
  await intruder.end()
  await exchange.stop()
})

const ctx = () => exchange.service.composition.ctx
const why = { reason: 'the drill is over' }
const drill = { reason: 'a drill', actor: 'test' }
const wish = async (subject: HaltSubject) => resume(ctx(), subject, { ...why, operator: await someone(ctx()) })
const end = async (subject: HaltSubject): Promise<void> => {
  assert.deepEqual(await wish(subject), { status: 'waiting_for_second_operator' })
  assert.deepEqual(await wish(subject), { status: 'resumed' })
}
const halted = async (): Promise<string[]> => {
  const rows = await lookup<{ scope: string; name: string }>(exchange, 'select scope, name from halts order by scope')
  return rows.map(({ scope, name }) => `${scope}:${name}`)
}

/** Two approvals of a resume that nobody gave. */
async function forgeApprovals(subject: string, table = 'public.approvals'): Promise<void> {
  for (const approver of ['operator:1', 'operator:2']) {
    await intruder.query(
      `insert into ${table} (kind, subject, hash, approver, at, stamp)
       values ('resume', $1, $2, $3, now() + interval '1 day', $4)`,
      [subject, randomBytes(32), approver, randomBytes(32)],
    )
  }
}

const subjects: readonly HaltSubject[] = [
  { scope: 'all', name: '' },
  { scope: 'payouts', name: '' },
  { scope: 'rail', name: 'sandbox-btc' },
  { scope: 'asset', name: 'BTC-BTC' },
]

describe('tables of the same names in a session end no halt', () => {
  after(() => intruder.query('discard all'))

  it('of any kind', async () => {
    for (const subject of subjects) await halt(ctx(), subject, drill)
    await lookup(exchange, `update service_state set system_identifier = '1'`)
    await closeIfRestored(ctx())
    const before = await halted()
    assert.equal(before.length, 5)

    for (const table of ['halt_seals', 'approvals', 'halts'])
      await intruder.query(`create temporary table ${table} as select * from public.${table} where false`)
    await intruder.query('create temporary table pg_class as select * from pg_catalog.pg_class')
    for (const subject of before) await forgeApprovals(subject, 'pg_temp.approvals')
    await intruder.query(
      'update pg_temp.pg_class set relowner = (select oid from pg_roles where rolname = current_user)',
    )
    for (const path of ['public', 'pg_temp, pg_catalog, public'])
      for (const subject of before) {
        const [scope = '', name = ''] = subject.split(':')
        await intruder.query(`set search_path = ${path}`)
        const ending = intruder.query('delete from public.halts where scope = $1 and name = $2', [scope, name])
        await assert.rejects(ending, /A halt stays so/, subject)
      }
    assert.deepEqual(await halted(), before)
  })

  it('and the operators end each', async () => {
    for (const subject of subjects) await end(subject)
    const operator = await someone(ctx())
    await openRestored(ctx(), { ...why, operator, actor: `operator:${operator.id}` })
    assert.deepEqual(await halted(), [])
  })
})

it('a restored exchange stays closed where somebody had written that it is', async () => {
  await intruder.query(`insert into halts (scope, since, reason, halted_by) values ('restored', now(), 'x', 'system')`)
  await lookup(exchange, `update service_state set system_identifier = '1'`)
  await closeIfRestored(ctx())
  await forgeApprovals('restored:')
  await assert.rejects(intruder.query(`delete from halts where scope = 'restored'`), /A halt stays so/)
  await lookup(exchange, 'delete from halts')
  const problems = (await verify(ctx())).filter((line) => line.startsWith('The halt'))
  assert.deepEqual(problems, ['The halt halt:restored is gone, and nobody has resumed it.'])
  await lookup(exchange, `insert into halts (scope, since, reason) values ('restored', now(), 'x')`)
  const operator = await someone(ctx())
  await openRestored(ctx(), { ...why, operator, actor: `operator:${operator.id}` })
})

it('a halt from before there were seals gets one when the exchange starts', async () => {
  await lookup(
    exchange,
    `insert into halts (scope, name, since, reason, halted_by) values ('asset', 'XRP-XRP', now(), 'x', 'ada')`,
  )
  await closeIfRestored(ctx())
  await forgeApprovals('asset:XRP-XRP')
  await assert.rejects(intruder.query(`delete from halts where name = 'XRP-XRP'`), /A halt stays so/)
  await end({ scope: 'asset', name: 'XRP-XRP' })
})

it('signatures of an earlier resume count for no later halt, whatever its row says', async () => {
  const subject = { scope: 'asset', name: 'ETH-ETH' } as const
  await intruder.query(`insert into halts (scope, name, since, reason) values ('asset', 'ETH-ETH', now(), 'x')`)
  await halt(ctx(), subject, drill)
  await intruder.query(`create temporary table before as select * from public.halts where name = 'ETH-ETH'`)
  await end(subject)
  await intruder.query(`insert into public.halts select * from before`)
  await intruder.query(`update public.halts set round = round - 1 where name = 'ETH-ETH'`)
  await halt(ctx(), subject, drill)
  const [row] = await lookup<{ same: boolean }>(
    exchange,
    `select count(*) = 1 as same from halts where reason = 'x' and name = 'ETH-ETH'`,
  )
  assert.equal(row?.same, true)
  await end(subject)
})

it('seals that the exchange did not make are all named, and keep no chain from being credited', async () => {
  const subject = { scope: 'rail', name: 'sandbox-btc' } as const
  await halt(ctx(), subject, drill)
  const foreign = (scope: string) =>
    intruder.query<{ nonce: string }>(
      `insert into halt_seals (nonce, scope, name, seal)
       select gen_random_uuid(), '${scope}', 'sandbox-btc', sha256('x') from generate_series(1, 2) returning nonce`,
    )
  const { rows } = await foreign('rail')
  await assert.rejects(foreign('crediting'), /violates check constraint/)
  await wish(subject)
  await assert.rejects(wish(subject), (error: { code?: string; message: string }) => {
    return error.code === 'CONFLICT' && rows.every(({ nonce }) => error.message.includes(nonce))
  })
  const halting = { rail: 'sandbox-btc', reason: 'reversed' }
  await ctx().db.atomic(async (db) => haltCrediting(db, { ...halting, since: new Date() }))
  await ctx().db.atomic(async (db) => endCreditingHalt(ctx(), db, halting))
  assert.deepEqual(await halted(), ['rail:sandbox-btc'])
  await lookup(exchange, `delete from halt_seals where key is null and seal = sha256('x')`)
  assert.deepEqual(await wish(subject), { status: 'resumed' })
})

import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { it } from 'node:test'

import { next, nextReference, paid } from '../../../../test/support/bank-session.ts'
import type { BankWorld } from '../../../../test/support/bank-world.ts'
import { camt, type CamtEntry } from '../../../../test/support/camt.ts'
import {
  acceptFile,
  assertAgrees,
  findings,
  lumps,
  reported,
  withBank,
} from '../../../../test/support/statement-gaps.ts'
import { listBankFiles } from '../files.ts'

const orders = 300
type Draw = (below: number) => number
type Mail = { name: string; text: string }

const dateOf = (day: number): string => new Date(Date.parse('2026-03-02') + day * 86_400_000).toISOString().slice(0, 10)

/** Three statements that follow the last one, and notifications: of some of their bookings, and some of what no statement has. */
function mailOf(draw: Draw, run: number, start: number): { mail: Mail[]; entries: CamtEntry[]; balance: number } {
  let balance = start
  const mail: Mail[] = []
  const all: CamtEntry[] = []
  const notify = (date: string, entry: CamtEntry): void =>
    void mail.push({
      name: next('n'),
      text: camt({ kind: '054', id: next('N'), date, entries: [{ ...entry, date }] }),
    })
  for (let index = 0; index < 3; index += 1) {
    const number = run * 3 + index + 2
    const date = dateOf(run * 9 + (index + 1) * 3)
    const entries = Array.from({ length: draw(3) }, (): CamtEntry => {
      const amount = `${(draw(3) + 1) * 10}.00`
      const own = { amount, date, servicerReference: next('C') }
      return draw(2) === 0 ? paid(nextReference(), { ...own, payments: [] }) : { ...own, debit: true }
    })
    const opening = balance
    for (const { amount, debit } of entries) balance += debit ? -Number(amount) : Number(amount)
    const balances = { opening: `${opening}.00`, closing: `${balance}.00` }
    mail.push({ name: next('s'), text: camt({ id: next('S'), number, date, ...balances, entries }) })
    for (const entry of entries) if (draw(3) === 0) notify(date, entry)
    const never = { amount: `${(draw(3) + 1) * 10}.00`, debit: draw(2) === 0, servicerReference: next('X') }
    if (draw(4) === 0) notify(dateOf(run * 9 + draw(9) + 1), never)
    all.push(...entries)
  }
  return { mail, entries: all, balance }
}

const refused = async ({ ctx }: BankWorld): Promise<string[]> =>
  (await listBankFiles(ctx.db)).flatMap(({ file, state }) => (state === 'refused' ? [file] : []))

/** What was booked by itself, and covers days that have a booking without a statement. */
const doubtful = ({ ctx, decided }: BankWorld) =>
  ctx.db.sql`
    select lump.id from iso20022_bookings as lump join iso20022_statements as one on one.id = lump.statement_id
    join iso20022_statements as before on before.id = one.previous_id
    join iso20022_bookings as other on other.statement_id is null and other.state = 'booked'
      and other.booked_on::date between before.closing_on and one.closing_on
    where lump.gap = 'lump' and lump.state = 'booked' and 'bk_' || lump.id <> all(${[...decided]}::text[])`

/** Every file in some order, some of them accepted, and some amounts decided about: the bank and the books agree at each step. */
async function arrive(world: BankWorld, draw: Draw, mail: Mail[]): Promise<void> {
  while (mail.length > 0) {
    const [one] = mail.splice(draw(mail.length), 1)
    world.outside.drop(`${one?.name}.xml`, one?.text ?? '')
    if (draw(3) === 0) continue
    await reported(world)
    for (const name of await refused(world)) if (draw(2) === 0) await acceptFile(world, name)
    await assertAgrees(world)
    assert.deepEqual(await doubtful(world), [])
    const [lump] = await world.ctx.db.sql<{ id: bigint }>`
      select id from iso20022_bookings where gap = 'lump' and state = 'booked' limit 1`
    if (lump && draw(4) === 0) world.decided.add(`bk_${lump.id}`)
  }
  await reported(world)
  for (let round = 0; round < 5; round += 1)
    for (const name of await refused(world)) {
      await acceptFile(world, name)
      await assertAgrees(world)
    }
}

it(`statements and notifications in any order: nothing uncertain is booked by itself (${orders} orders)`, () =>
  withBank(async (world) => {
    let start = 1000
    for (let run = 0; run < orders; run += 1) {
      const seed = randomInt(2 ** 31)
      let state = seed
      const draw: Draw = (below) => {
        state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
        return (state >>> 8) % below
      }
      const { mail, entries, balance } = mailOf(draw, run, start)
      try {
        await arrive(world, draw, mail)
        const [count] = await world.ctx.db.sql<{ stated: number }>`
          select count(*)::integer as stated from iso20022_bookings as booking
          join iso20022_statements as one on one.id = statement_id
          where state = 'booked' and gap is null and number > ${run * 3 + 1}`
        assert.equal(count?.stated, entries.length)
        // Two operators withdraw what no statement has.
        await world.ctx.db
          .sql`update iso20022_bookings set state = 'withdrawn' where statement_id is null and state = 'booked'`
        await reported(world)
        assert.deepEqual([await findings(world), await lumps(world)], [[], []])
        await assertAgrees(world)
      } catch (error) {
        throw new Error(`seed ${seed}, run ${run}`, { cause: error })
      }
      start = balance
    }
  }))

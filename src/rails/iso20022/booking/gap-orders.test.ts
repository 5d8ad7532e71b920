import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'

import { next, nextReference, paid } from '../../../../test/support/bank-session.ts'
import type { BankWorld } from '../../../../test/support/bank-world.ts'
import { camt, type CamtEntry, ourIban } from '../../../../test/support/camt.ts'
import {
  acceptFile,
  assertAgrees,
  findings,
  lumps,
  reported,
  send,
  submitPayment,
  withoutFirst,
} from '../../../../test/support/statement-gaps.ts'
import { listBankFiles } from '../files.ts'

const orders = 300
type Draw = (below: number) => number
/** `corrected`: what the bank sends later instead. */
type Mail = { name: string; text: string; corrected?: Mail }

const dateOf = (day: number): string => new Date(Date.parse('2018-03-02') + day * 86_400_000).toISOString().slice(0, 10)

/** The debit of a payment of ours that left on a day. */
async function paidOut(world: BankWorld, date: string, amount: string): Promise<CamtEntry> {
  const ago = world.bank.clock.realNow().getTime() - Date.parse(date)
  world.pass(-ago)
  const key = await submitPayment(world, BigInt(amount.replace('.', '')))
  world.pass(ago)
  return { debit: true, payments: [{ endToEndId: key, amount }], amount }
}

/**
 * Three statements that follow the last one, a few without a booking at first, and notifications: of some of their bookings, and some of
 * what no statement has.
 */
async function mailOf(
  world: BankWorld,
  draw: Draw,
  { run, start }: { run: number; start: number },
): Promise<{ mail: Mail[]; entries: CamtEntry[]; balance: number }> {
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
    const entries: CamtEntry[] = []
    for (let count = draw(3); count > 0; count -= 1) {
      const amount = `${(draw(3) + 1) * 10}.00`
      const own = { amount, date, servicerReference: next('C') }
      const kind = draw(5)
      if (kind === 0) entries.push({ ...own, ...(await paidOut(world, dateOf(run * 9 + index * 3), amount)) })
      else entries.push(kind < 3 ? paid(nextReference(), { ...own, payments: [] }) : { ...own, debit: true })
    }
    const opening = balance
    const sumOf = (some: readonly CamtEntry[]): number =>
      some.reduce((sum, { amount, debit }) => sum + (debit ? -Number(amount) : Number(amount)), 0)
    balance += sumOf(entries)
    const stated = (some: readonly CamtEntry[]): Mail => {
      const balances = { opening: `${opening}.00`, closing: `${opening + sumOf(some)}.00` }
      return { name: next('s'), text: camt({ id: next('S'), number, date, ...balances, entries: [...some] }) }
    }
    const whole = stated(entries)
    mail.push(draw(4) === 0 && entries.length > 0 ? { ...stated(entries.slice(1)), corrected: whole } : whole)
    for (const entry of entries) if (draw(3) === 0) notify(date, entry)
    const never = { amount: `${(draw(3) + 1) * 10}.00`, debit: draw(2) === 0, servicerReference: next('X') }
    if (draw(4) === 0) notify(dateOf(run * 9 + draw(9) + 1), never)
    all.push(...entries)
  }
  return { mail, entries: all, balance }
}

const refused = async ({ ctx }: BankWorld): Promise<string[]> =>
  (await listBankFiles(ctx.db)).flatMap(({ file, state }) => (state === 'refused' ? [file] : []))

/** What was booked by itself, and covers days that have a booking without a statement, or a payment without a debit. */
const doubtful = ({ ctx, decided }: BankWorld) =>
  ctx.db.sql`
    select lump.id from iso20022_bookings as lump join iso20022_statements as one on one.id = lump.statement_id
    join iso20022_statements as before on before.id = one.previous_id
    where lump.gap = 'lump' and lump.state = 'booked' and 'bk_' || lump.id <> all(${[...decided]}::text[])
      and (exists (
          select from iso20022_bookings as other where other.statement_id is null and other.state = 'booked'
            and other.booked_on::date between before.closing_on and one.closing_on)
        or exists (
          select from iso20022_payments join iso20022_batches as batch on batch.id = batch_id
          where debited_by is null and sent_at::date between before.closing_on and one.closing_on))`

/** Every file in some order, some of them accepted, and some amounts decided about: the bank and the books agree at each step. */
async function arrive(world: BankWorld, draw: Draw, mail: Mail[]): Promise<void> {
  while (mail.length > 0) {
    const [one] = mail.splice(draw(mail.length), 1)
    world.outside.drop(`${one?.name}.xml`, one?.text ?? '')
    if (draw(3) === 0 && !one?.corrected) continue
    await reported(world)
    if (one?.corrected) {
      mail.push(one.corrected)
      // An operator removes what the bank will correct, if it waits.
      rmSync(join(world.folder, 'in/refused', `${one.name}.xml`), { force: true })
      await reported(world)
    }
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
  withoutFirst(async (world) => {
    const first = { number: 1, on: dateOf(0), opening: 1000, closing: 1000 }
    await send(world, first)
    world.opened.add(ourIban)
    let start = 1000
    for (let run = 0; run < orders; run += 1) {
      const seed = randomInt(2 ** 31)
      let state = seed
      const draw: Draw = (below) => {
        state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
        return (state >>> 8) % below
      }
      const { mail, entries, balance } = await mailOf(world, draw, { run, start })
      // What is older than the first statement never is booked.
      if (run === 0)
        await send(world, { ...first, number: 9000, on: dateOf(-1), opening: 900, entries: [paid(nextReference())] })
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

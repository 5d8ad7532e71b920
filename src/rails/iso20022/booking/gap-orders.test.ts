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
  decide,
  explain,
  findings,
  lumps,
  reported,
  send,
  submitPayment,
  withdraw,
  withoutFirst,
} from '../../../../test/support/statement-gaps.ts'
import { listBankFiles } from '../files.ts'
import { findingsOf } from '../findings.ts'
import { bankRail } from '../rails.ts'

const orders = 200
/** Each look is at all that a bank has: ten times as many orders of one bank take a hundred times as long. */
const inOneBank = 20
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

/** Nothing that persons have decided about was credited to an order, or more than once; a payment was debited once. */
async function assertNothingTwice({ ctx, bank }: BankWorld): Promise<void> {
  const twice = await ctx.db.sql`
    select stated_reference from iso20022_bookings where state = 'booked' and kind = 'deposit' and reference <> ''
    group by stated_reference having count(*) > 1
    union all select payment_key from iso20022_bookings where state = 'booked' and kind = 'payout' group by payment_key having count(*) > 1`
  assert.deepEqual(twice, [])
  // What is in a gap was booked by persons, all of it.
  const [lumps] = await ctx.db.sql<{ count: number }>`
    select count(*)::integer as count from iso20022_bookings where rail = ${bank.name} and gap = 'lump'`
  assert.ok((lumps?.count ?? 0) <= booked)
}
let booked = 0

/** Every break that is left is one that operators end: a gap that they book, a lump that they withdraw, a file that they accept. */
async function endAll(world: BankWorld): Promise<void> {
  for (let round = 0; round < 12 && (await findingsOf(world.bank)).length > 0; round += 1) {
    for (const name of await refused(world)) await acceptFile(world, name)
    await withdraw(world)
    booked += (await findingsOf(world.bank)).length
    await decide(world)
    await assertAgrees(world)
    await assertNothingTwice(world)
  }
}

/** Every file in some order, some of them accepted, and some gaps decided about: the bank and the books agree at each step. */
async function arrive(world: BankWorld, draw: Draw, mail: Mail[], isDecided: boolean): Promise<void> {
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
    await assertNothingTwice(world)
    if (isDecided && draw(4) === 0) {
      if (draw(2) === 0) await explain(world)
      booked += (await findingsOf(world.bank)).length
      await decide(world)
      await assertAgrees(world)
    }
  }
  await reported(world)
  for (let round = 0; round < 5; round += 1)
    for (const name of await refused(world)) {
      await acceptFile(world, name)
      await assertAgrees(world)
    }
}

/** Some orders of one bank, each after the other. */
async function allOrders(world: BankWorld, runs: readonly number[]): Promise<void> {
  booked = 0
  const [begin = 0] = runs
  const first = { number: begin * 3 + 1, on: dateOf(begin * 9), opening: 1000, closing: 1000 }
  await send(world, first)
  world.opened.add(ourIban)
  let start = 1000
  for (const run of runs) {
    const seed = randomInt(2 ** 31)
    let state = seed
    const draw: Draw = (below) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
      return (state >>> 8) % below
    }
    const { mail, entries, balance } = await mailOf(world, draw, { run, start })
    // What is older than the first statement never is booked.
    const older = { ...first, number: 9000, on: dateOf(begin * 9 - 1), opening: 900, entries: [paid(nextReference())] }
    if (run === begin) await send(world, older)
    try {
      const isDecided = run % 2 === 1
      const before = await lumps(world)
      await arrive(world, draw, mail, isDecided)
      const [count] = await world.ctx.db.sql<{ stated: number }>`
        select count(*)::integer as stated from iso20022_bookings as booking
        join iso20022_statements as one on one.id = statement_id
        where state = 'booked' and gap is null and number > ${run * 3 + 1}`
      assert.equal(count?.stated, entries.length)
      if (isDecided) await endAll(world)
      // Two operators withdraw what no statement has.
      else await withdraw(world)
      // Without a decision nothing of a gap was booked. With one, what a person wrongly says is there leaves a debit or credit to book.
      assert.deepEqual([await findings(world), isDecided ? before : await lumps(world)], [[], before])
      await assertAgrees(world)
      assert.equal(await bankRail(world.bank).balance('EUR-EUR'), BigInt(balance) * 100n)
    } catch (error) {
      throw new Error(`seed ${seed}, run ${run}`, { cause: error })
    }
    start = balance
  }
}

it(`statements and notifications in any order: nothing of a gap is booked by itself, nothing twice (${orders} orders)`, async () => {
  const runs = Array.from({ length: orders }, (_, run) => run)
  for (let from = 0; from < orders; from += inOneBank)
    await withoutFirst((world) => allOrders(world, runs.slice(from, from + inOneBank)))
})

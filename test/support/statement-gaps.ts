import assert from 'node:assert/strict'

import { gapOf } from '../../src/rails/iso20022/booking/gap.ts'
import {
  bookingOfFinding,
  notifiedBooking,
  whyNotDoubtful,
  whyNotWithdrawn,
  withdrawBooking,
} from '../../src/rails/iso20022/booking/withdraw.ts'
import { findingsOf } from '../../src/rails/iso20022/findings.ts'
import { lockBankFile, skipNumbers, wantBankFile } from '../../src/rails/iso20022/files.ts'
import { payouts } from '../../src/rails/iso20022/payouts.ts'
import { bankRail } from '../../src/rails/iso20022/rails.ts'
import { next, nextId, nextReference, paid } from './bank-session.ts'
import { type BankWorld, openBankWorld } from './bank-world.ts'
import { camt, type CamtEntry } from './camt.ts'

/** A bank whose first statement has not come. */
export async function withoutFirst(
  work: (world: BankWorld) => Promise<void>,
  change: Parameters<typeof openBankWorld>[0] = {},
): Promise<void> {
  const world = await openBankWorld(change)
  try {
    await work(world)
  } finally {
    await world.close()
  }
}

/** Begins with statement 1 of 2 March, which closes with 1000.00. */
export const withBank = (work: (world: BankWorld) => Promise<void>): Promise<void> =>
  withoutFirst(async (world) => {
    await send(world, { number: 1, on: 2, opening: 1000, closing: 1000 })
    await work(world)
  })

/** A statement of a day, in March unless it is a date, in whole units. */
export type Day = {
  number?: number
  on: number | string
  opening: number
  closing: number
  entries?: CamtEntry[]
  page?: number
  isLast?: boolean
  iban?: string
}
const dateOf = (on: Day['on']): string => (typeof on === 'string' ? on : `2026-03-0${on}`)
const textOf = ({ number, on, opening, closing, entries = [], page = 1, isLast = true, iban }: Day): string =>
  camt({
    id: next('S'),
    ...(number === undefined ? {} : { number }),
    ...(iban === undefined ? {} : { iban }),
    date: dateOf(on),
    opening: `${opening}.00`,
    closing: `${closing}.00`,
    entries,
    extra: `<StmtPgntn><PgNb>${page}</PgNb><LastPgInd>${isLast}</LastPgInd></StmtPgntn>`,
  })

/** Sends a statement, and gives what was reported: kinds and amounts in whole units. */
export async function send(world: BankWorld, day: Day, name = `${next('day')}.xml`): Promise<[string, number][]> {
  world.outside.drop(name, textOf(day))
  return reported(world)
}
export const reported = async (world: BankWorld): Promise<[string, number][]> =>
  (await world.round()).map(({ kind, amount }) => [kind, Number(amount / 100n)])

/** Sends a statement that is refused, and accepts it. */
export async function accept(world: BankWorld, day: Day): Promise<[string, number][]> {
  const name = `${next('accepted')}.xml`
  assert.deepEqual(await send(world, day, name), [])
  return acceptFile(world, name)
}

export async function acceptFile(world: BankWorld, name: string): Promise<[string, number][]> {
  world.accepted.add(name)
  await orderFile(world, name, 'accept')
  return reported(world)
}

/** A person orders what is done with a file. */
export const orderFile = ({ ctx }: BankWorld, name: string, wanted: 'accept' | 'read'): Promise<void> =>
  ctx.db.atomic(async (db) => {
    const { id } = (await lockBankFile(db, { name })) ?? assert.fail(name)
    wantBankFile(db, id, { wanted, actor: 'cli:ann', reason: 'as it is' })
  })

/** Notifies a booking of a day, and gives what was reported. */
export async function notify(world: BankWorld, on: Day['on'], entry: CamtEntry): Promise<[string, number][]> {
  world.outside.drop(`${next('m')}.xml`, camt({ kind: '054', id: next('N'), date: dateOf(on), entries: [entry] }))
  return reported(world)
}

export const findings = async ({ bank }: BankWorld): Promise<[string, number][]> =>
  (await findingsOf(bank)).map(({ cause, amount }) => [cause, Number(amount / 100n)])

/** What the rail says it holds, in whole units, less what it has reported in its statement lines: what no booking explains. */
async function unexplained({ bank }: BankWorld): Promise<number> {
  const period = { since: new Date(0), until: new Date('2100-01-01') }
  const lines = (await bankRail(bank).statement?.(period)) ?? []
  const balance = await bankRail(bank).balance('EUR-EUR')
  return Number((balance - lines.reduce((sum, { amount }) => sum + amount, 0n)) / 100n)
}

/** No line explains what the first statement opened with. */
export const assertAgrees = async (world: BankWorld): Promise<void> => assert.equal(await unexplained(world), 1000)

/** The lumps that stand for what nobody knows, in whole units. */
export const lumps = async ({ ctx }: BankWorld): Promise<number[]> =>
  (
    await ctx.db.sql<{ amount: bigint }>`
      select case direction when 'in' then amount else -amount end as amount from iso20022_bookings
      where gap = 'lump' and state = 'booked' order by id`
  ).map(({ amount }) => Number(amount / 100n))

/** Two operators book every difference that they can, as `break book` does, or one of some amount. Gives what was reported. */
export async function decide({ ctx, bank, follower, events }: BankWorld, of?: number): Promise<[string, number][]> {
  const rail = bankRail(bank)
  for (const finding of await findingsOf(bank)) {
    if (of !== undefined && finding.amount !== BigInt(of) * 100n) continue
    await ctx.db.atomic(async (db) => {
      const gap = await gapOf(db, { ...finding, rail: bank.name })
      if (!gap || gap.waiting.length + gap.early.length > 0 || (gap.isBooked && gap.rest !== 0n)) return
      await rail.bookGap?.(db, gap, follower.reports.report)
      const by = { rail: gap.rail, account: gap.account, reason: 'lost', actor: 'cli:ann', at: bank.clock.now() }
      for (const one of gap.numbers) skipNumbers(db, { ...one, ...by })
    })
  }
  return events.splice(0).map(({ kind, amount }) => [kind, Number(amount / 100n)])
}

/** Two operators withdraw what is a break, as `break withdraw` does: bookings that no statement has, and lumps that fit no more. */
export async function withdraw({ ctx, bank, events }: BankWorld): Promise<[string, number][]> {
  for (const { key } of await findingsOf(bank)) {
    const id = bookingOfFinding(key)
    if (id === undefined) continue
    await ctx.db.atomic(async (db) => {
      const booking = (await notifiedBooking(db, bank.name, id)) ?? assert.fail()
      assert.equal(whyNotWithdrawn(booking) ?? (await whyNotDoubtful(db, booking)), undefined)
      events.push(...withdrawBooking(db, bank.name, booking).events)
    })
  }
  return events.splice(0).map(({ kind, amount }) => [kind, Number(amount / 100n)])
}

/** A person resolves the breaks of bookings that no statement has: the bank has them after all. */
export async function explain({ ctx, bank }: BankWorld): Promise<void> {
  for (const { key, asset, amount, cause } of await findingsOf(bank))
    if (bookingOfFinding(key) !== undefined)
      await ctx.db.sql`
        insert into breaks (id, account, asset, kind, key, amount, cause, owner, state, found_at, confirmed_at, ended_at, resolved_by, reason)
        values (${nextId()}, ${bank.name}, ${asset}, 'statement', ${key}, ${amount}, ${cause}, 'finance', 'resolved', now(), now(), now(), 'cli:ann', 'seen')
        returning id`
}

export const debits = async ({ ctx, bank }: BankWorld): Promise<{ payment: string; amount: number; text: string }[]> =>
  ((await bankRail(bank).unexplained?.(ctx.db, 10)) ?? []).map(({ payment, amount, text }) => ({
    payment,
    amount: Number(amount / 100n),
    text,
  }))

/** A transfer of some customer's, of 100.00 unless said otherwise. */
export const other = (amount = '100.00'): CamtEntry => {
  const entry = paid(nextReference())
  return { ...entry, amount, payments: (entry.payments ?? []).map((one) => ({ ...one, amount })) }
}

/** Has a payment of ours leave, and gives its key. */
export async function submitPayment(world: BankWorld, amount: bigint): Promise<string> {
  const half = payouts(world.bank)
  const destination = { address: 'DE89370400440532013000', extraId: 'COBADEFFXXX', holder: 'Erika Mustermann' }
  const [plan] = await half.prepare([{ payoutId: nextId(), asset: 'EUR-EUR', amount, destination }])
  await half.submit(plan ?? assert.fail())
  await world.round()
  return plan?.key ?? ''
}

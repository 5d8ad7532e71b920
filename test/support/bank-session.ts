import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach } from 'node:test'

import { makeReference } from '../../src/reference/bank/creditor-reference.ts'
import type { RailEvent } from '../../src/rails/rail.ts'
import { bankRail } from '../../src/rails/iso20022/rails.ts'
import { type BankWorld, openBankWorld } from './bank-world.ts'
import { camt, type CamtEntry, type CamtStatement } from './camt.ts'

export const payer = { name: 'Erika Mustermann', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' }

/** A transfer of a customer's. */
export const paid = (reference: string, change: Partial<CamtEntry> = {}): CamtEntry => ({
  amount: '100.00',
  payments: [{ remittance: reference, amount: '100.00', payer }],
  ...change,
})

export const kindsOf = (events: RailEvent[]): string[] => events.map(({ kind }) => kind)

let ids = 0
export const next = (name: string): string => `${name}-${(ids += 1)}`
export const nextId = (): bigint => BigInt((ids += 1))
export const nextReference = (): string => makeReference(Buffer.from(String((ids += 1)).padStart(32, 'x')))

/** What a bank does in a test, and what the rail must say afterwards. */
type BankSession = {
  /** Sends a message that is no statement of a day. */
  notified(statement: CamtStatement): Promise<RailEvent[]>
  /** Sends the next statement of a day. */
  stated(entries: CamtEntry[], change?: Partial<CamtStatement>): Promise<RailEvent[]>
  /** Sends bytes, and gives why they were refused; empty where they were taken. Nothing may be reported. */
  refusalOf(text: string | Buffer): Promise<string>
  /** Forgets what only notifications have said so far: a real bank's next statement would have it. */
  begin(): Promise<void>
  /** Whether the rail states the balance that the bank has. */
  assertBalance(): Promise<void>
}

function bankSession(world: BankWorld): BankSession {
  const held = (): Promise<bigint> => bankRail(world.bank).balance('EUR-EUR')
  let unstated = 0n
  return {
    notified: (statement) => {
      world.outside.drop(`${next('m')}.xml`, camt({ id: next('R'), ...statement }))
      return world.round()
    },
    stated: (entries, change = {}) => {
      world.outside.state(entries, change)
      return world.round()
    },
    refusalOf: async (text) => {
      const name = `${next('bad')}.xml`
      const balance = await held()
      world.outside.drop(name, text)
      world.pass(60_000)
      assert.deepEqual(await world.round(), [])
      assert.equal(await held(), balance)
      const reason = join(world.folder, 'in/refused', `${name}.reason.txt`)
      if (!existsSync(reason)) return ''
      rmSync(join(world.folder, 'in/refused', name))
      return readFileSync(reason, 'utf8').trim()
    },
    begin: async () => {
      world.charges.splice(0)
      unstated = (await held()) - world.outside.balance
    },
    assertBalance: async () => assert.equal(await held(), world.outside.balance + unstated),
  }
}

/** One bank for the tests of a file. Each test begins with a statement that has everything. */
export function useBank(): Omit<BankSession, 'begin'> & { readonly world: BankWorld } {
  let world: BankWorld | undefined
  let session: BankSession | undefined
  const opened = <T>(one: T | undefined): T => {
    assert(one, 'The bank opens with the first test.')
    return one
  }
  before(async () => {
    world = await openBankWorld()
    session = bankSession(world)
    world.outside.state([])
    await world.round()
  })
  after(() => world?.close())
  beforeEach(() => opened(session).begin())
  return {
    get world() {
      return opened(world)
    },
    notified: (statement) => opened(session).notified(statement),
    stated: (entries, change) => opened(session).stated(entries, change),
    refusalOf: (text) => opened(session).refusalOf(text),
    assertBalance: () => opened(session).assertBalance(),
  }
}

import assert from 'node:assert/strict'

import { skipStatements } from '../../src/exchange/operations/bank-files.ts'
import { findingsOf } from '../../src/rails/iso20022/findings.ts'
import { payouts } from '../../src/rails/iso20022/payouts.ts'
import { nextId } from './bank-session.ts'
import type { BankWorld } from './bank-world.ts'

export const refused = { code: 'NOT_EXCLUDED' }

export const dayAfter = ({ bank }: BankWorld, days: number): string =>
  new Date(bank.clock.realNow().getTime() + days * 86_400_000).toISOString().slice(0, 10)
export const end = async ({ bank }: BankWorld, key: string, how: 'check' | 'end' = 'end'): Promise<void> =>
  payouts(bank).end?.({ key, body: { asset: 'EUR-EUR' } }, how)
export const outcome = async ({ bank }: BankWorld, key: string): Promise<string> =>
  (await payouts(bank).look({ key, body: {} })).state

/** What the pages of money and of breaks do, by two operators. */
export const bookAsOwn = (
  { ctx, bank }: BankWorld,
  debit: { payment: string; amount: number } | undefined,
): Promise<void> =>
  ctx.db.atomic(async (db) => {
    const { payment, amount } = debit ?? assert.fail('no debit')
    db.send`
      insert into own_money (id, rail, payment, direction, asset, amount, category, reason, booked_by, booked_at)
      values (${nextId()}, ${bank.name}, ${payment}, 'out', 'EUR-EUR', ${BigInt(amount) * 100n}, 'expense', 'rent', 'cli:ann', now())`
  })
export const resolve = ({ ctx, bank }: BankWorld, amount: bigint): Promise<void> =>
  ctx.db.atomic(async (db) => {
    const found = (await findingsOf(bank, db)).find(({ cause }) => cause === 'opening_differs' || cause === 'double')
    const { key, cause } = found ?? assert.fail('no break')
    db.send`
      insert into breaks (id, account, asset, kind, key, amount, cause, owner, state, found_at, confirmed_at, ended_at, resolved_by, reason)
      values (${nextId()}, ${bank.name}, 'EUR-EUR', 'statement', ${key}, ${amount}, ${cause},
        'finance', 'resolved', now(), now(), now(), 'cli:ann', 'rent')`
  })
export const skip = ({ ctx }: BankWorld): Promise<unknown> =>
  skipStatements(ctx, { rail: 'bank-1', numbers: '2' }, { actor: 'cli:test', reason: 'The bank has lost it.' })

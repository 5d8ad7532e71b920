import assert from 'node:assert/strict'

import { payouts } from '../../src/rails/iso20022/payouts.ts'
import { nextId } from './bank-session.ts'
import type { BankWorld } from './bank-world.ts'

export const refused = { code: 'NOT_EXCLUDED' }

export const dayAfter = ({ bank }: BankWorld, days: number): string =>
  new Date(bank.clock.realNow().getTime() + days * 86_400_000).toISOString().slice(0, 10)
export const end = async (
  { bank }: BankWorld,
  key: string,
  how: 'check' | 'end' = 'end',
  isLacking = false,
): Promise<void> => payouts(bank).end?.({ key, body: { asset: 'EUR-EUR' } }, how, isLacking)
export const outcome = async ({ bank }: BankWorld, key: string): Promise<string> =>
  (await payouts(bank).look({ key, body: {} })).state

/** What the page of money does. */
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

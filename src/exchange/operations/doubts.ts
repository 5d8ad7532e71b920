import type { Ctx } from '../context.ts'
import type { Db } from '../../platform/db/sql.ts'
import * as queries from './doubts.sql.ts'

/** Money without an order, as far as its rail may have reported it twice. */
type Money = { rail: string; payment: string | null }

/**
 * What money may be double of: another booking, and the order that has it. `why`: why it is not moved yet; undefined where a person, or
 * the account's own kind of messages, leaves it to whom decides.
 */
export type Doubt = { of: { payment: string; transactionId: bigint | undefined }[]; why: string | undefined }

/** The doubts about money without an order, by its rail and payment. Nothing for what is certain. */
export async function doubtsAbout(
  { rails }: Pick<Ctx, 'rails'>,
  db: Db,
  money: readonly Money[],
): Promise<Map<string, Doubt>> {
  const found = new Map<string, Doubt>()
  for (const rail of rails.all) {
    const payments = money.flatMap((one) => (one.rail === rail.name && one.payment !== null ? [one.payment] : []))
    if (!rail.doubts || payments.length === 0) continue
    const doubts = await rail.doubts(db, payments)
    const others = [...doubts.values()].flatMap(({ of }) => of)
    const breaks = await queries.breaksOfBookings(db, rail.name, [...new Set([...payments, ...others])])
    const orders = new Map(
      (await queries.ordersOfPayments(db, rail.name, others)).map((one) => [one.payment, one.transaction_id]),
    )
    for (const payment of payments) {
      const { of = [], waiting = [], isStated = false } = doubts.get(payment) ?? {}
      const open = breaks.find((one) => one.state === 'open' && [payment, ...waiting].includes(one.payment))
      if (of.length === 0 && !open) continue
      const explained = breaks.filter(({ state }) => state === 'resolved').map((one) => one.payment)
      const isAwaited = isStated && waiting.some((one) => !explained.includes(one))
      found.set(doubtKey({ rail: rail.name, payment }), {
        of: of.map((one) => ({ payment: one, transactionId: orders.get(one) })),
        why: open
          ? whileOpen(open.id, of)
          : isAwaited
            ? `${mayBe(of)}, until the statement of its day has come.`
            : undefined,
      })
    }
  }
  return found
}

export const doubtKey = ({ rail, payment }: Money): string => `${rail} ${payment}`

/**
 * Why money is neither sent back nor given to an order: it may be double, or the statement of its day does not have it, so that it may
 * never have come. Undefined: it can be.
 */
export async function whyInDoubt(ctx: Pick<Ctx, 'rails'>, db: Db, money: Money): Promise<string | undefined> {
  return (await doubtsAbout(ctx, db, [money])).get(doubtKey(money))?.why
}

/** Why money is not booked as our own: it may be double. What its statement alone lacks is booked back when it is taken back. */
export async function whyDoubled(ctx: Pick<Ctx, 'rails'>, db: Db, money: Money): Promise<string | undefined> {
  const doubt = (await doubtsAbout(ctx, db, [money])).get(doubtKey(money))
  return isDouble(doubt) ? doubt?.why : undefined
}

export const isDouble = (doubt: Doubt | undefined): boolean => doubt !== undefined && doubt.of.length > 0

/** The same of a debit, by its payment alone. */
export async function whyDebitDoubled(ctx: Pick<Ctx, 'rails'>, db: Db, payment: string): Promise<string | undefined> {
  const money = ctx.rails.all.map(({ name: rail }) => ({ rail, payment }))
  return [...(await doubtsAbout(ctx, db, money)).values()].find(isDouble)?.why
}

const mayBe = (of: readonly string[]): string => `It may be the same money as ${of.join(', ')}`

const whileOpen = (id: bigint, of: readonly string[]): string => {
  const fact = of.length === 0 ? 'The statement of its day does not have it' : mayBe(of)
  return `${fact}: end the break ${id} on the page /console/money first.`
}

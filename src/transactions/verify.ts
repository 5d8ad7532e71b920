import { listings } from '../catalog/asset.ts'
import type { Ctx } from '../context.ts'
import { held } from '../ledger/account.ts'
import { balanceOf } from '../ledger/balance.ts'
import { verifyBooks } from '../ledger/verify.ts'
import { ended, type Status } from './lifecycle.ts'
import * as queries from './queries.ts'

const batch = 1_000

/**
 * Checks on a live database that the books balance and were not changed, that every transaction's status agrees with them
 * and with its history, that ended transactions owe nobody, that nothing was paid without a plan and evidence, and that the
 * rails hold what the books say. Gives one sentence a problem; none means that all is well.
 */
export async function verify(ctx: Ctx): Promise<string[]> {
  const problems = await verifyBooks(ctx.db, ctx)
  let after = 0n
  for (;;) {
    const rows = await queries.agreements(ctx.db, after, batch)
    for (const row of rows) problems.push(...disagreements(row))
    const last = rows.at(-1)
    if (!last) break
    after = last.id
  }
  for (const { place, asset } of await queries.misreserved(ctx.db)) {
    problems.push(`What is reserved of ${asset} at ${place} is not what is promised.`)
  }
  return [...problems, ...(await statementsThatDiffer(ctx))]
}

/** What must have been booked, and what must not, for a transaction to be where it is. */
const booked: Record<Status, { must: string[]; mustNot: string[] }> = {
  new: { must: [], mustNot: ['exchange', 'payout_sent'] },
  waiting_for_customer: { must: [], mustNot: ['exchange', 'payout_sent'] },
  waiting_for_deposit: { must: [], mustNot: ['exchange', 'payout_sent'] },
  on_hold: { must: [], mustNot: [] },
  exchanging: { must: ['deposit', 'exchange'], mustNot: ['payout_sent'] },
  sending: { must: ['deposit', 'exchange', 'payout_sent'], mustNot: ['payout_settled'] },
  finished: { must: ['deposit', 'exchange', 'payout_sent', 'payout_settled'], mustNot: [] },
  refunded: { must: ['deposit'], mustNot: [] },
  expired: { must: [], mustNot: ['deposit', 'exchange'] },
  cancelled: { must: [], mustNot: ['deposit', 'exchange'] },
  failed: { must: [], mustNot: ['deposit', 'exchange'] },
}

function disagreements(row: queries.Agreement): string[] {
  const { must, mustNot } = booked[row.status]
  const missing = must.filter((kind) => !row.kinds.includes(kind)).map((kind) => `is ${row.status} without ${kind}`)
  const extra = mustNot.filter((kind) => row.kinds.includes(kind)).map((kind) => `is ${row.status} with ${kind}`)
  const others: [boolean, string][] = [
    [row.last_status !== row.status, `is ${row.status}, but its history ends at ${row.last_status}`],
    [BigInt(row.moves) !== row.counted_moves, 'has lost a part of its history'],
    [BigInt(row.events) !== row.counted_events, 'has lost an event'],
    [row.from_amount !== row.deposited, 'does not show what was deposited'],
    [row.status === 'finished' && row.paid === null, 'is finished and has paid nothing'],
    [row.to_amount !== row.paid, 'does not show what was paid out'],
    [ended.has(row.status) && row.owed > 0n, `is ${row.status} and still owes its customer`],
    [row.unplanned > 0n, 'has a payout without a plan'],
    [row.unproven > 0n, 'has a payout without evidence'],
  ]
  const wrong = [...missing, ...extra, ...others.filter(([isWrong]) => isWrong).map(([, sentence]) => sentence)]
  return wrong.map((sentence) => `Transaction ${row.public_id} ${sentence}.`)
}

/** What a rail holds must be what the books say, as long as nothing is on its way and nothing moved while we looked. */
async function statementsThatDiffer({ db, rails }: Ctx): Promise<string[]> {
  const problems: string[] = []
  for (const { asset, network } of listings) {
    const rail = network.chain && rails.forPayout(network.code)
    if (!rail) continue
    const before = await balanceOf(db, held(rail.place), asset.id)
    const stated = await rail.balance(asset.id)
    const isUnderWay = await queries.underWay(db, rail.name)
    const ours = await balanceOf(db, held(rail.place), asset.id)
    if (stated !== ours && before === ours && !isUnderWay) {
      problems.push(`${rail.name} holds ${stated} units of ${asset.id}, the books say ${ours}.`)
    }
  }
  return problems
}

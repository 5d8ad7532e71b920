import {
  approveRebalance,
  cancelRebalance,
  confirmArrived,
  confirmSent,
  listRebalances,
  proposeRebalance,
  proposeRebalances,
  rebalanceApprovals,
} from '../../exchange/treasury/move-money.ts'
import type { Rebalance } from '../../exchange/treasury/rebalance.ts'
import { type Answer, type Invocation, type Json, WrongUsage } from './command.ts'
import { layOut } from './layout.ts'
import { idOf } from './read-id.ts'
import { shownAmount } from './shown-amount.ts'
import { reasonOf } from './staff.ts'
import { withActor, withOperator } from './who.ts'

/** Lists transfers between custody accounts. */
export const list = (input: Invocation): Promise<Answer> =>
  input.exchange(async (ctx) => {
    const json = (await listRebalances(ctx)).map(shown)
    return { json, text: json.length === 0 ? 'There is no transfer.' : layOut(json) }
  })

/** Proposes one transfer, or those that the levels call for. */
export const propose = (input: Invocation): Promise<Answer> => {
  const { from: source, to: destination, asset, amount, reason } = input.flags
  const given = [source, destination, asset, amount, reason].filter((one) => one !== undefined)
  return withActor(input, 'money.resolve', async (ctx, actor) => {
    let ids: bigint[]
    if (given.length === 0) ids = await proposeRebalances(ctx)
    else if (source && destination && asset && amount && reason) {
      ids = [await proposeRebalance(ctx, { source, destination, asset, amount, reason }, actor)]
    } else throw new WrongUsage('Give --from, --to, --asset, --amount and --reason, or none of them.')
    const json = (await listRebalances(ctx)).filter(({ id }) => ids.includes(id)).map(shown)
    return { json, text: json.length === 0 ? 'Every level is kept.' : layOut(json) }
  })
}

/** Approves a transfer as the operator whose token was given. */
export const approve = (input: Invocation): Promise<Answer> => {
  const id = idOf(input)
  return withOperator(input, 'payouts.approve', async (ctx, operator) => one(await approveRebalance(ctx, id, operator)))
}

/** Books that a transfer has left. */
export const sent = (input: Invocation): Promise<Answer> => {
  const [id, proof, { fee, 'fee-asset': feeAsset }] = [idOf(input), proofOf(input), input.flags]
  return withActor(input, 'money.resolve', async (ctx, actor) => {
    const rebalance = (await listRebalances(ctx)).find((row) => row.id === id)
    const cost = fee === undefined ? undefined : { asset: feeAsset ?? rebalance?.asset ?? '', amount: fee }
    return one(await confirmSent(ctx, id, { proof, fee: cost, actor }))
  })
}

/** Books that a transfer has arrived. */
export const arrived = (input: Invocation): Promise<Answer> => {
  const [id, proof] = [idOf(input), proofOf(input)]
  return withActor(input, 'money.resolve', async (ctx, actor) => one(await confirmArrived(ctx, id, { proof, actor })))
}

/** Cancels a transfer that was not sent. */
export const cancel = (input: Invocation): Promise<Answer> => {
  const [id, reason] = [idOf(input), reasonOf(input)]
  return withActor(input, 'money.resolve', async (ctx, actor) => one(await cancelRebalance(ctx, id, { reason, actor })))
}

function proofOf({ flags }: Invocation): string {
  const proof = (flags.proof ?? '').trim()
  if (proof === '') throw new WrongUsage('--proof must not be empty.')
  return proof
}

const one = (rebalance: Rebalance): Answer => ({ json: shown(rebalance) })

const shown = (row: Rebalance): Json => ({
  id: String(row.id),
  from: row.source,
  to: row.destination,
  ...shownAmount(row.asset, row.amount),
  reference: row.reference,
  state: row.state,
  reason: row.reason,
  outcome: row.outcome,
  approved_by: row.approved_by,
  needs_approvals: row.state === 'proposed' ? Math.max(0, rebalanceApprovals - row.approved_by.length) : 0,
  proposed_at: row.proposed_at.toISOString(),
  sent_proof: row.sent_proof,
  arrived_proof: row.arrived_proof,
})

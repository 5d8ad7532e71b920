import {
  approveRebalance,
  cancelRebalance,
  confirmArrived,
  confirmSent,
  findRebalance,
  listRebalances,
  type ListedRebalance,
  proposeRebalance,
  proposeRebalances,
  rebalanceApprovals,
  whyNotIn,
} from '../treasury/move-money.ts'
import { rebalanceContent, type RebalanceState } from '../treasury/rebalance.ts'
import { badField } from '../../platform/lib/refusal.ts'
import type { Action, Json, SubjectKind } from './action.ts'
import { byId } from './by-id.ts'
import { nothing } from './nothing.ts'
import { operatorOf } from './operator-of.ts'
import { shownAmount } from './shown-amount.ts'
import { field } from './input.ts'
import { amount as amountKind, asset as assetKind, text as anyText } from './values.ts'

const rebalances: SubjectKind<ListedRebalance> = {
  noun: 'rebalance',
  argument: 'ID',
  field: 'rebalance',
  find: byId('transfer', findRebalance),
}

const inStates = (...states: RebalanceState[]) => ({
  allowedNow: (_ctx: unknown, row: ListedRebalance) => whyNotIn(row, states),
})

/** A transfer as programs read it. */
export const rebalanceJson = (row: ListedRebalance): Json => ({
  id: String(row.id),
  from: row.source,
  to: row.destination,
  ...shownAmount(row.asset, row.amount),
  reference: row.reference,
  state: row.state,
  reason: row.reason,
  outcome: row.outcome,
  approved_by: row.approved_by,
  needs_approvals: whyNotIn(row, ['proposed']) ? 0 : Math.max(0, rebalanceApprovals - row.approved_by.length),
  proposed_at: row.proposed_at.toISOString(),
  sent_proof: row.sent_proof,
  arrived_proof: row.arrived_proof,
})

const wished = ['from', 'to', 'asset', 'amount'] as const
const allOrNone = 'Give the account, the destination, the asset, the amount and the reason, or none of them.'

/** Proposes one transfer, or those that the levels call for. */
export const proposeTransfers: Action<undefined> = {
  subject: nothing('rebalance'),
  name: 'propose-transfers',
  title: 'Propose transfers',
  does: 'Proposes a transfer to a listed destination; with nothing filled in, those that the levels call for.',
  details: 'Destinations and levels are in the section treasury of CONFIG_FILE. Two operators approve each transfer.',
  permission: 'money.resolve',
  needsReason: 'optional',
  fields: [
    field('from', anyText('ACCOUNT'), { label: 'From the account' }),
    field('to', anyText('DESTINATION'), { label: 'To the destination' }),
    field('asset', assetKind),
    field('amount', amountKind),
  ],
  commands: [{ words: 'rebalance propose' }],
  run: async (ctx, _subject, { reason, text }, { actor }) => {
    const [source, destination, asset, amount] = wished.map(text)
    const given = [source, destination, asset, amount, reason || undefined].filter((one) => one !== undefined)
    let ids: bigint[]
    if (given.length === 0) ids = await proposeRebalances(ctx)
    else if (source && destination && asset && amount && reason) {
      ids = [await proposeRebalance(ctx, { source, destination, asset, amount, reason }, actor)]
    } else throw badField(wished.find((one) => text(one) === undefined) ?? 'reason', allOrNone)
    const made = (await listRebalances(ctx)).filter(({ id }) => ids.includes(id))
    const said =
      made.length === 0 ? 'Every level is kept.' : `${made.length} transfers are proposed. Two operators approve each.`
    return { said, json: made.map(rebalanceJson), ...(made.length === 0 ? { text: said } : {}) }
  },
}

const approve: Action<ListedRebalance> = {
  subject: rebalances,
  name: 'approve-transfer',
  title: 'Approve',
  does: 'Approves a transfer. Two different operators must.',
  permission: 'payouts.approve',
  needsReason: 'none',
  fields: [],
  byOperator: true,
  approvals: rebalanceApprovals,
  commands: [{ words: 'rebalance approve' }],
  content: rebalanceContent,
  ...inStates('proposed'),
  run: async (ctx, { id }, _given, by) => {
    const after = await approveRebalance(ctx, id, operatorOf(by), by.sign)
    const said = after.state === 'approved' ? 'The transfer is approved: send it.' : 'It waits for another operator.'
    return { said, json: rebalanceJson(after) }
  },
}

const proof = field('proof', anyText(), { help: 'The hash, or the line of the statement.', isRequired: true })

const sent: Action<ListedRebalance> = {
  subject: rebalances,
  name: 'transfer-sent',
  title: 'It was sent',
  does: 'Books that an approved transfer was sent, and what sending took.',
  permission: 'money.resolve',
  needsReason: 'none',
  fields: [
    proof,
    field('fee', amountKind, { help: 'Empty: none.' }),
    field('fee_asset', assetKind, { label: 'Asset of the fee', help: 'Empty: the transferred one.' }),
  ],
  commands: [{ words: 'rebalance sent' }],
  ...inStates('approved'),
  run: async (ctx, { id, asset }, { text }, { actor }) => {
    const fee = text('fee')
    const cost = fee === undefined ? undefined : { asset: text('fee_asset') ?? asset, amount: fee }
    const after = await confirmSent(ctx, id, { proof: text('proof') ?? '', fee: cost, actor })
    return { said: 'It is booked that the transfer was sent.', json: rebalanceJson(after) }
  },
}

const arrived: Action<ListedRebalance> = {
  subject: rebalances,
  name: 'transfer-arrived',
  title: 'It has arrived',
  does: 'Books that a transfer has arrived.',
  permission: 'money.resolve',
  needsReason: 'none',
  fields: [proof],
  commands: [{ words: 'rebalance arrived' }],
  ...inStates('sent'),
  run: async (ctx, { id }, { text }, { actor }) => {
    const after = await confirmArrived(ctx, id, { proof: text('proof') ?? '', actor })
    return { said: 'It is booked that the transfer has arrived.', json: rebalanceJson(after) }
  },
}

const cancel: Action<ListedRebalance> = {
  subject: rebalances,
  name: 'cancel-transfer',
  title: 'Cancel',
  does: 'Cancels a transfer that was not sent.',
  permission: 'money.resolve',
  needsReason: 'clear',
  fields: [],
  commands: [{ words: 'rebalance cancel' }],
  ...inStates('proposed', 'approved'),
  run: async (ctx, { id }, { reason }, { actor }) => {
    const after = await cancelRebalance(ctx, id, { reason, actor })
    return { said: 'The transfer is canceled.', json: rebalanceJson(after) }
  },
}

/** What an operator may do with a transfer between custody accounts. */
export const rebalanceActions: readonly Action<ListedRebalance>[] = [approve, sent, arrived, cancel]

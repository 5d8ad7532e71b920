import {
  matchSuspense,
  returnedOf,
  returnSuspense,
  suspenseDeposit,
  whyNotMatched,
  whyNotReturned,
  whyNotWrittenOff,
  writeOffSuspense,
} from '../operations/suspense.ts'
import { whyDoubled, whyInDoubt } from '../operations/doubts.ts'
import type { SuspenseDeposit } from '../settlement/deposit.ts'
import { aboutField } from './about-field.ts'
import type { Action, SubjectKind } from './action.ts'
import { byId } from './by-id.ts'
import { destinationFields, destinationFile, destinationIn, destinationInFile } from './destination.ts'
import { doneTo, sentenceOf } from './orders.ts'
import { field, required } from './input.ts'
import { id as idKind } from './values.ts'

const suspense: SubjectKind<SuspenseDeposit> = {
  noun: 'suspense',
  argument: 'DEPOSIT_ID',
  field: 'deposit',
  find: byId('deposit', (ctx, id) => suspenseDeposit(ctx, id)),
}

const order = field('transaction', idKind(), { label: 'Order', argument: 'TRANSACTION_ID', isRequired: true })

const match: Action<SuspenseDeposit> = {
  subject: suspense,
  name: 'match',
  title: 'Match',
  does: 'Assigns a deposit in suspense to a transaction, which then continues by the usual rules.',
  permission: 'money.resolve',
  needsReason: 'clear',
  fields: [order],
  allowedNow: async (ctx, deposit) => whyNotMatched(deposit) ?? (await whyInDoubt(ctx, ctx.db, deposit)),
  run: async (ctx, { id }, given, { actor }) => {
    const [publicId, { reason }] = [required(given, order), given]
    const after = await aboutField('transaction', 'NOT_FOUND', () =>
      matchSuspense(ctx, id, publicId, { reason, actor }),
    )
    return doneTo(after, `The money belongs to order ${publicId} now.`)
  },
}

const giveBack: Action<SuspenseDeposit> = {
  subject: suspense,
  name: 'return',
  title: 'Return',
  does: 'Returns a deposit in suspense to where it came from, less the network cost.',
  permission: 'money.resolve',
  needsReason: 'clear',
  fields: [
    ...destinationFields.map((one) => ({ ...one, isRequired: false, isOfForms: true as const })),
    destinationFile,
  ],
  allowedNow: async (ctx, deposit) => whyNotReturned(deposit) ?? (await whyInDoubt(ctx, ctx.db, deposit)),
  preview: async (ctx, deposit) => [sentenceOf(await returnedOf(ctx.db, deposit), 'sender')],
  run: async (ctx, { id }, given, { actor }) => {
    const { reason, text } = given
    const to =
      destinationInFile(text('to')) ?? (text('refund_address') === undefined ? undefined : destinationIn(given))
    const refund = await returnSuspense(ctx, id, { reason, actor, ...(to ? { to } : {}) })
    const json = { deposit_id: String(id), refund_id: String(refund) }
    return { said: `The money goes back. The refund is ${refund}.`, json }
  },
}

const writeOff: Action<SuspenseDeposit> = {
  subject: suspense,
  name: 'writeoff',
  title: 'Write off',
  does: 'Writes off a deposit in suspense that is worth no more than sending it back would cost.',
  permission: 'money.resolve',
  needsReason: 'clear',
  fields: [],
  allowedNow: async (ctx, deposit) => whyNotWrittenOff(deposit) ?? (await whyDoubled(ctx, ctx.db, deposit)),
  run: async (ctx, { id }, { reason }, { actor }) => {
    await writeOffSuspense(ctx, id, { reason, actor })
    return { said: 'The money is written off.', json: { deposit_id: String(id), written_off: true } }
  },
}

/** What an operator may do with money that has no order. */
export const suspenseActions: readonly Action<SuspenseDeposit>[] = [match, giveBack, writeOff]

import { readId } from '../../platform/lib/ids.ts'
import {
  listSuspense,
  matchSuspense,
  returnSuspense,
  type SuspenseDeposit,
  writeOffSuspense,
} from '../../exchange/operations/suspense.ts'
import { type Answer, type Invocation, WrongUsage } from './command.ts'
import { layOut } from './layout.ts'
import { idOf } from './read-id.ts'
import { shownAmount } from './shown-amount.ts'
import { reasonOf, shown as shownTransaction, destinationOf } from './staff.ts'
import { withActor } from './who.ts'

/** Lists money that arrived and belongs to no transaction. */
export const list = (input: Invocation): Promise<Answer> =>
  input.exchange(async (ctx) => {
    const json = (await listSuspense(ctx)).map(shown)
    return { json, text: json.length === 0 ? 'No money is in suspense.' : layOut(json) }
  })

/** Assigns money in suspense to the transaction it was for. */
export const match = (input: Invocation): Promise<Answer> => {
  const [id, reason] = [idOf(input), reasonOf(input)]
  const publicId = readId(input.args[1] ?? '')
  if (publicId === undefined) throw new WrongUsage('TRANSACTION_ID needs an id of digits.')
  return withActor(input, 'money.resolve', async (ctx, actor) =>
    shownTransaction(await matchSuspense(ctx, id, publicId, { reason, actor })),
  )
}

/** Returns money in suspense to where it came from, or, where that failed, to another account. */
export const giveBack = async (input: Invocation): Promise<Answer> => {
  const [id, reason, to] = [idOf(input), reasonOf(input), await destinationOf(input)]
  return withActor(input, 'money.resolve', async (ctx, actor) => {
    const refund = await returnSuspense(ctx, id, { reason, actor, ...(to ? { to } : {}) })
    return { json: { deposit_id: String(id), refund_id: String(refund) } }
  })
}

/** Writes off money in suspense that is worth less than sending it back. */
export const writeOff = (input: Invocation): Promise<Answer> => {
  const [id, reason] = [idOf(input), reasonOf(input)]
  return withActor(input, 'money.resolve', async (ctx, actor) => {
    await writeOffSuspense(ctx, id, { reason, actor })
    return { json: { deposit_id: String(id), written_off: true } }
  })
}

const shown = ({ id, rail, reference, asset, amount, at }: SuspenseDeposit) => ({
  id: String(id),
  rail,
  reference,
  ...shownAmount(asset, amount),
  at: at.toISOString(),
})

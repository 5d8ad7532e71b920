import { readId } from '../../platform/lib/ids.ts'
import {
  listSuspense,
  matchSuspense,
  returnSuspense,
  type SuspenseDeposit,
  writeOffSuspense,
} from '../../exchange/operations/suspense.ts'
import { type Answer, type Given, WrongUsage } from './command.ts'
import { layOut } from './layout.ts'
import { idOf } from './read-id.ts'
import { shownAmount } from './shown-amount.ts'
import { reasonOf, shown as shownTransaction, wayOf } from './staff.ts'
import { withActor } from './who.ts'

/** Lists money that has come and is nobody's that we know. */
export const list = (given: Given): Promise<Answer> =>
  given.exchange(async (ctx) => {
    const json = (await listSuspense(ctx)).map(shown)
    return { json, text: json.length === 0 ? 'No money is in suspense.' : layOut(json) }
  })

/** Gives such money to the transaction that it was for. */
export const match = (given: Given): Promise<Answer> => {
  const [id, reason] = [idOf(given), reasonOf(given)]
  const publicId = readId(given.words[1] ?? '')
  if (publicId === undefined) throw new WrongUsage('TRANSACTION_ID takes an id: digits only.')
  return withActor(given, async (ctx, actor) =>
    shownTransaction(await matchSuspense(ctx, id, publicId, { reason, actor })),
  )
}

/** Sends such money back the way it came, or, where that failed, to another account. */
export const giveBack = async (given: Given): Promise<Answer> => {
  const [id, reason, to] = [idOf(given), reasonOf(given), await wayOf(given)]
  return withActor(given, async (ctx, actor) => {
    const refund = await returnSuspense(ctx, id, { reason, actor, ...(to ? { to } : {}) })
    return { json: { deposit_id: String(id), refund_id: String(refund) } }
  })
}

/** Keeps such money that sending back would eat up. */
export const writeOff = (given: Given): Promise<Answer> => {
  const [id, reason] = [idOf(given), reasonOf(given)]
  return withActor(given, async (ctx, actor) => {
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

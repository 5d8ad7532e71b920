import { recordAudit } from '../../exchange/audit/audit.ts'
import { receiveRailEvents } from '../../exchange/settlement/rail-event.ts'
import { openEvmRails } from '../../rails/evm/rails.ts'
import { type Answer, type Invocation, WrongUsage } from './command.ts'
import { reasonOf } from './staff.ts'
import { withActor } from './who.ts'

/** Makes the service read a chain again from a block. Audited. */
export const reread = (input: Invocation): Promise<Answer> => {
  const [reason, code, from] = [reasonOf(input), (input.args[0] ?? '').toUpperCase(), input.flags.from ?? '']
  if (!/^\d{1,15}$/.test(from)) throw new WrongUsage('--from needs a block number.')
  return withActor(input, async (ctx, actor) => {
    const evm = await openEvmRails(ctx)
    const action = { actor, action: 'chain.reread', subject: `chain:${code}`, before: null, after: { from, reason } }
    await evm.reread(
      code,
      BigInt(from),
      (db, facts) => receiveRailEvents(ctx, db, facts),
      (db) => recordAudit(db, { at: ctx.clock.now(), ...action }),
    )
    return { json: { network: code, from } }
  })
}

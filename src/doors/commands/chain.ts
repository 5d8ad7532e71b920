import { recordAudit } from '../../exchange/audit/audit.ts'
import { receiveRailEvents } from '../../exchange/settlement/rail-event.ts'
import { openEvmRails } from '../../rails/evm/rails.ts'
import { type Answer, type Given, WrongUsage } from './command.ts'
import { reasonOf } from './staff.ts'
import { withActor } from './who.ts'

/** Lets a chain be read again from a block on. Audited. */
export const reread = (given: Given): Promise<Answer> => {
  const [reason, code, from] = [reasonOf(given), (given.words[0] ?? '').toUpperCase(), given.flags.from ?? '']
  if (!/^\d{1,15}$/.test(from)) throw new WrongUsage('--from needs the number of a block.')
  return withActor(given, async (ctx, actor) => {
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

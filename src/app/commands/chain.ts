import { recordAudit } from '../../exchange/audit/audit.ts'
import type { Ctx } from '../../exchange/context.ts'
import { receiveRailEvents } from '../../exchange/settlement/rail-event.ts'
import { type Answer, type Invocation, WrongUsage } from '../../doors/commands/command.ts'
import { reasonOf } from '../../doors/commands/staff.ts'
import { withActor } from '../../doors/commands/who.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { BitcoinRails } from '../../rails/bitcoin/rails.ts'
import { openEvm } from '../evm.ts'
import { openBitcoin } from '../bitcoin.ts'
import { readConfig } from '../config/config.ts'

/** Makes the service read a chain again from a block. Audited. */
export const reread = (input: Invocation): Promise<Answer> => {
  const [reason, code, from] = [reasonOf(input), (input.args[0] ?? '').toUpperCase(), input.flags.from ?? '']
  if (!/^\d{1,15}$/.test(from)) throw new WrongUsage('--from needs a block number.')
  return withActor(input, 'system.manage', async (ctx, actor) => {
    const action = { actor, action: 'chain.reread', subject: `chain:${code}`, before: null, after: { from, reason } }
    const audit = (db: Atomic) => recordAudit(db, { at: ctx.clock.now(), ...action })
    const bitcoin = await bitcoinOf(ctx)
    if (bitcoin?.networks.includes(code)) await bitcoin.reread(code, BigInt(from), audit)
    else {
      const evm = await openEvm({ ...ctx, config: readConfig() })
      await evm.reread(code, BigInt(from), (db, events) => receiveRailEvents(ctx, db, events), audit)
    }
    return { json: { network: code, from } }
  })
}

/** Shows the wallet that pays out on a chain of Bitcoin's family, and the key to watch it with. */
export const wallet = (input: Invocation): Promise<Answer> =>
  input.exchange(async (ctx) => {
    const code = (input.args[0] ?? '').toUpperCase()
    const bitcoin = await bitcoinOf(ctx)
    const found = bitcoin?.wallet(code)
    if (!found) throw new Refusal('NOT_FOUND', `There is no rail of the kind bitcoin for ${code}.`)
    return { json: { network: code, ...found } }
  })

async function bitcoinOf(ctx: Ctx): Promise<BitcoinRails | undefined> {
  const config = readConfig()
  const entries = config.file?.rails?.filter(({ kind }) => kind === 'bitcoin') ?? []
  return config.file && entries.length > 0 ? openBitcoin(entries, { ...ctx, config }, config.file) : undefined
}

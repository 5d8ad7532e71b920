import type { Ctx } from '../../exchange/context.ts'
import type { Answer, Invocation } from '../../doors/commands/command.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { type BitcoinRails, openBitcoinRails } from '../../rails/bitcoin/rails.ts'
import type { BitcoinSettings } from '../../rails/bitcoin/settings.ts'
import type { RailEntry } from '../../rails/kind.ts'
import { readConfig } from '../config/config.ts'
import { railToolsOf } from '../rails.ts'

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
  const entries = config.file?.rails?.filter(isBitcoin) ?? []
  const tools = railToolsOf({ ...ctx, config })
  return entries.length > 0 ? openBitcoinRails(entries, tools) : undefined
}

const isBitcoin = (entry: RailEntry): entry is BitcoinSettings => entry.kind === 'bitcoin'

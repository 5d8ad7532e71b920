import type { Ctx } from '../../exchange/context.ts'
import type { Answer, Invocation } from '../../doors/commands/command.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { BitcoinRails } from '../../rails/bitcoin/rails.ts'
import { openBitcoin } from '../bitcoin.ts'
import { readConfig } from '../config/config.ts'

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

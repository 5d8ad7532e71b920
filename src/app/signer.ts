import { resolve } from 'node:path'

import type { Ctx } from '../exchange/context.ts'
import { keepLooking } from '../rails/keep-looking.ts'
import type { Db } from '../platform/db/sql.ts'
import { seenJournal } from '../rails/keys/seen-journal.ts'
import { openSignerClient, type SignerClient } from '../rails/keys/signer-client.ts'
import type { ConfigFile } from './config/file.ts'

/**
 * The signer that CONFIG_FILE names, if it names one. The database remembers how far its journal was; without one, nothing is signed
 * that it would have to know of.
 */
export const signerOf = (file: ConfigFile | undefined, db?: Db): SignerClient | undefined =>
  file?.custody?.signer &&
  openSignerClient(resolve(file.folder, file.custody.signer.socket), ...(db ? [seenJournal(db)] : []))

/** The halts of this process are a second old at most; with this they reach the signer within two. */
const everyMs = 250

/**
 * Halts the signer as soon as everything or all payouts are halted, once for each halt. Resuming the exchange does not resume the
 * signer: that takes approvers from the signer's policy.
 */
export function forwardHalts(
  { halts, log }: Pick<Ctx, 'halts' | 'log'>,
  signer: SignerClient,
): { stop(): Promise<void> } {
  let isForwarded = false
  return keepLooking({
    look: async () => {
      const { payouts } = halts.now()
      if (payouts && !isForwarded) {
        const { halted } = await signer.call<{ halted: string | null }>('/status', {})
        if (halted === null) await signer.call('/halt', { reason: 'The exchange was halted by an operator.' })
      }
      isForwarded = payouts
      return false
    },
    onError: (error) => log.error({ err: error }, 'Failed to halt the signer; retrying.'),
    everyMs,
    release: () => Promise.resolve(),
  })
}

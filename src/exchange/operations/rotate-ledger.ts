import { setTimeout as wait } from 'node:timers/promises'

import { recordAudit } from '../audit/audit.ts'
import type { Ctx } from '../context.ts'
import {
  addLedgerKey,
  endLedgerRotation,
  insertDigests,
  learnLedgerKeys,
  ledgerRotation,
} from '../ledger/ledger-keys.ts'
import { digestAgain } from '../ledger/verify.ts'
import { learnMs } from './rotate-master.ts'

/**
 * Rotates the key of the ledger's digests. New entries have the new one as soon as every process has learned it; older entries are
 * checked by the old key and get a second digest, in batches, while the exchange works. Interrupted, it continues at the next call. At
 * its end a digest by an old key proves nothing any more. Audited. Refuses books that were changed (CONFLICT). Gives how many entries
 * have a second digest from this call.
 */
export async function rotateLedger(ctx: Ctx, actor: string): Promise<{ entries: number }> {
  const { db, clock, secrets } = ctx
  const at = clock.now()
  await db.atomic(async (block) => {
    if (!(await addLedgerKey(block, secrets, at))) return
    recordAudit(block, { at, actor, action: 'ledger_key.rotated', subject: 'ledger_key', before: null, after: {} })
  })
  await learnLedgerKeys(db, secrets)
  await wait(learnMs)
  const { id } = await ledgerRotation(db)
  let entries = 0
  for (let added = -1; added !== 0; entries += added) {
    added = await digestAgain(db, ctx, async (digests) => {
      await insertDigests(db, id, digests)
    })
  }
  await endLedgerRotation(db, id, clock.now())
  return { entries }
}

import { createHash } from 'node:crypto'

import { randomToken } from '../../../platform/lib/ids.ts'
import { seal, unseal } from '../../../platform/privacy/seal.ts'
import type { Bank, BankReports } from '../bank.ts'
import { payoutsHalted } from '../../halts.ts'
import { keepLease } from '../lease.ts'
import { openOrder, type PaymentOrder } from './order.ts'
import type { Outbox } from './outbox.ts'
import { writePaymentFile } from './payment-file.ts'
import * as queries from './queries.ts'
import { validatePaymentFile } from './validate.ts'

/** The most payments in one file; the others are in the next one. */
const mostInFile = 2_000

/**
 * Stores a file of the payments that are due now, if there are any, except those that are held because banks have said since then who their
 * payees are. Nothing has left yet. Gives whether there was one.
 */
export async function formBatch(
  bank: Bank,
  holder: string,
  reports: Pick<BankReports, 'holdPayees'>,
): Promise<boolean> {
  const at = bank.clock.realNow()
  const before = lastCutoff(bank.cutoffs, at)
  const halted = await bank.db.atomic((db) => payoutsHalted(db, bank.name))
  if (halted === 'all') return false
  const orders = await ordersDue(bank, { before, except: [...halted] }, reports)
  if (orders.length === 0) return false
  const file = writePaymentFile(bank, orders, at)
  await validatePaymentFile(bank, file)
  await bank.db.atomic(async (db) => {
    if (!(await keepLease(db, bank.name, holder))) throw new Error('Another process has taken over the bank.')
    const checksum = createHash('sha256').update(file.bytes).digest('hex')
    const bytes = seal(bank.keys.sealing, file.bytes, placeOf(bank, file.messageId))
    const batch = { rail: bank.name, messageId: file.messageId, name: file.name, checksum, bytes, at }
    const [taken] = await queries.insertBatch(db, batch, file.parts)
    // Each payment is in one file: if one of these was taken meanwhile, none is.
    if (taken?.count !== orders.length) throw new Error('A payment that was to leave has left already.')
  })
  return true
}

/** The payments that are due. What is held, or this service has not written down itself, is passed over: it must not keep back the others. */
async function ordersDue(
  bank: Bank,
  wanted: { before: Date; except: string[] },
  { holdPayees }: Pick<BankReports, 'holdPayees'>,
): Promise<PaymentOrder[]> {
  const passed: string[] = []
  for (;;) {
    const rows = await queries.queuedPayments(bank.db, bank.name, { ...wanted, passed, limit: mostInFile })
    const orders = rows.flatMap((row) => openedOrNone(bank, `payment ${row.key}`, () => openOrder(bank, row)) ?? [])
    const keys = orders.map(({ key }) => key)
    const held = keys.length === 0 ? [] : await bank.db.atomic((db) => holdPayees(db, { rail: bank.name, keys }))
    const leaving = orders.filter(({ key }) => !held.includes(key))
    if (leaving.length === rows.length) return leaving
    const stays = new Set(leaving.map(({ key }) => key))
    passed.push(...rows.map(({ key }) => key).filter((key) => !stays.has(key)))
  }
}

/** Opens what is stored; undefined, and in the log, where another hand has written it. */
function openedOrNone<Opened>(bank: Bank, what: string, open: () => Opened): Opened | undefined {
  try {
    return open()
  } catch (err) {
    bank.log.error(
      { err, rail: bank.name },
      `The service did not write the ${what} down itself: it does not leave (forged).`,
    )
    return undefined
  }
}

const placeOf = ({ name }: Bank, messageId: string): string => `iso20022_batches:${name}:${messageId}`

/** The last cut-off time at or before a moment; without cut-offs the moment itself. */
export function lastCutoff(cutoffs: readonly number[], at: Date): Date {
  if (cutoffs.length === 0) return at
  const midnight = Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate())
  const times = [-1, 0].flatMap((day) => cutoffs.map((minute) => midnight + day * 86_400_000 + minute * 60_000))
  return new Date(Math.max(...times.filter((time) => time <= at.getTime())))
}

/**
 * Lets stored files appear, each once, whenever the process dies. A file is written under a temporary name, that name is fixed
 * in the database, and then it is renamed: only the fixed one may be, so if it is missing, the file has appeared.
 */
export async function publishBatches(bank: Bank, outbox: Outbox): Promise<void> {
  for (const batch of await queries.unsentBatches(bank.db, bank.name)) {
    const staged = batch.staged_as ?? (await stage(bank, outbox, batch))
    if (staged === undefined) continue
    if (await publish(bank, outbox, { ...batch, staged }))
      bank.log.info({ rail: bank.name, file: batch.name }, 'A payment file has left.')
  }
}

/**
 * Renames a file, unless its payments are halted: then it stays until they are resumed. The rename is within the block, so that a
 * halt that has returned is not followed by a file. Should the block run again, the file is missing, and has appeared.
 */
const publish = (bank: Bank, outbox: Outbox, batch: queries.UnsentBatch & { staged: string }): Promise<boolean> =>
  bank.db.atomic(async (db) => {
    const halted = await payoutsHalted(db, bank.name)
    if (halted === 'all' || batch.assets.some((asset) => halted.has(asset))) return false
    await outbox.publish(batch.staged, batch.name)
    await queries.markSent(db, batch.id, bank.clock.realNow())
    return true
  })

/** Writes the temporary file. Gives nothing where another process was faster: its file counts; and for a file that is not ours. */
async function stage(
  bank: Bank,
  outbox: Outbox,
  { id, name, message_id: messageId, bytes }: queries.UnsentBatch,
): Promise<string | undefined> {
  const opened = openedOrNone(bank, `payment file ${name}`, () =>
    unseal(bank.keys.sealing, bytes, placeOf(bank, messageId)),
  )
  if (!opened) return undefined
  const temporary = `.${name}.${randomToken(6)}.part`
  await outbox.put(temporary, opened)
  if ((await queries.stageBatch(bank.db, id, temporary)).length > 0) return temporary
  await outbox.remove(temporary)
  return undefined
}

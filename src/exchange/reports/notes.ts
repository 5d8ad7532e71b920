import type { Ctx } from '../context.ts'
import { badField, Refusal } from '../../platform/lib/refusal.ts'
import { operatorSubject } from '../operators/operator.ts'
import type { Role } from '../operators/roles.ts'
import { recordAudit } from '../audit/audit.ts'
import { lockTransaction } from '../transactions/load.ts'
import type { Transaction } from '../transactions/transaction.ts'

/** What staff wrote about an order. */
export type Note = { id: bigint; by: string; text: string; at: Date }

const notePlace = (id: bigint): string => `transaction_notes:${id}`
const longest = 4_000

/** Writes a note about an order, sealed with its key: it is erased with the person. Refuses an empty text and a very long one. */
export async function addNote(
  ctx: Ctx,
  publicId: bigint,
  { text, operatorId }: { text: string; operatorId: bigint },
): Promise<void> {
  const written = text.trim()
  if (written === '' || written.length > longest) throw badField('text', `A note has 1 to ${longest} characters.`)
  const id = await ctx.rowIds.next()
  await ctx.db.atomic(async (db) => {
    const transaction = await lockTransaction(ctx, db, publicId)
    if (!transaction) throw new Refusal('NOT_FOUND', 'There is no such transaction.')
    const at = ctx.clock.now()
    db.send`
      insert into transaction_notes (id, transaction_id, operator_id, text, at)
      values (${id}, ${transaction.id}, ${operatorId}, ${transaction.dataKey.seal(written, notePlace(id))}, ${at})`
    recordAudit(db, {
      at,
      actor: operatorSubject({ id: operatorId }),
      action: 'transaction.noted',
      subject: `transaction:${publicId}`,
      before: null,
      after: { note: String(id) },
    })
  })
}

/** The notes about an order, oldest first; with a role, only what operators of this role wrote. */
export async function notesOf(
  { db }: Pick<Ctx, 'db'>,
  { id, dataKey }: Pick<Transaction, 'id' | 'dataKey'>,
  role?: Role,
): Promise<Note[]> {
  const rows = await db.sql<{ id: bigint; name: string; text: Buffer; at: Date }>`
    select notes.id, coalesce(nullif(name, ''), email) as name, text, at
    from transaction_notes as notes join operators on operators.id = operator_id
    where transaction_id = ${id} and (${role ?? null}::text is null or role = ${role ?? null}) order by notes.id`
  return rows.map((row) => ({
    id: row.id,
    by: row.name,
    text: dataKey.open<string>(row.text, notePlace(row.id)),
    at: row.at,
  }))
}

import { recordAudit } from '../audit/audit.ts'
import type { AuditAction, AuditSubject } from '../audit/nouns.ts'
import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'

type Request = { actor: string; action: AuditAction; subject: AuditSubject; after: Record<string, unknown> }

/** Writes into the audit who has asked for something that the service else does by itself. */
export const auditIn = ({ clock }: Pick<Ctx, 'clock'>, db: Atomic, asked: Request): void =>
  recordAudit(db, { at: clock.now(), before: null, ...asked })

/** The same in a separate block. */
export const auditAsked = (ctx: Ctx, asked: Request): Promise<void> =>
  ctx.db.atomic((db) => Promise.resolve(auditIn(ctx, db, asked)))

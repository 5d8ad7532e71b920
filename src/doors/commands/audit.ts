import { type AuditRow, type AuditValue, listAudit } from '../../exchange/audit/audit.ts'
import { readNames } from '../../exchange/operators/names.ts'
import { showPartner } from '../../exchange/partners/find.ts'
import { type Answer, type Invocation, type Json, WrongUsage } from './command.ts'
import { idOfFlag } from './read-id.ts'

const most = 1_000

export const list = (input: Invocation): Promise<Answer> => {
  const filter = { partnerId: idOfFlag(input, 'partner'), before: idOfFlag(input, 'before'), limit: limitOf(input) }
  return input.exchange(async (ctx) => {
    if (filter.partnerId !== undefined) await showPartner(ctx, filter.partnerId)
    const [rows, names] = await Promise.all([listAudit(ctx.db, filter), readNames(ctx)])
    return { json: rows.map(shownBy(names.of)) }
  })
}

function limitOf({ flags: { limit = '100' } }: Invocation): number {
  const number = /^\d{1,4}$/.test(limit) ? Number.parseInt(limit, 10) : 0
  if (number < 1 || number > most) throw new WrongUsage(`--limit must be a whole number from 1 to ${most}.`)
  return number
}

const shownBy =
  (nameOf: (actor: string) => string) =>
  ({ id, at, actor, action, subject, before, after, origin, byAction }: AuditRow) => ({
    entry: String(id),
    at: at.toISOString(),
    actor,
    by: nameOf(actor),
    origin,
    action,
    subject,
    by_action: byAction,
    before: plain(before),
    after: plain(after),
  })

/** What is stored is JSON already. */
const plain = (value: AuditValue): Json => value as Json

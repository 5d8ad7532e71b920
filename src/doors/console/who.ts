import { reasonsOf } from '../../exchange/audit/audit.ts'
import type { Ctx } from '../../exchange/context.ts'
import { readNames } from '../../exchange/operators/names.ts'

/** Names operators, and all others as the audit does; nobody has no name. */
export const whoIs = async (ctx: Pick<Ctx, 'db'>): Promise<(actor: string | null) => string> =>
  (await readNames(ctx)).of

/** Something that operators have approved. */
type Approved = { id: bigint; approved_by: readonly string[] }

/** Names who has approved something, each with the reason that they gave. `action` and `noun`: as the audit calls them. */
export async function whoApproved(
  ctx: Pick<Ctx, 'db'>,
  { action, noun }: { action: string; noun: string },
  all: readonly Pick<Approved, 'id'>[],
): Promise<(one: Approved) => string> {
  const subjectOf = ({ id }: Pick<Approved, 'id'>) => `${noun}:${id}`
  const [nameOf, reasons] = await Promise.all([whoIs(ctx), reasonsOf(ctx.db, action, all.map(subjectOf))])
  const said = (one: Approved, actor: string): string => {
    const reason = reasons.get(`${subjectOf(one)} ${actor}`)
    return reason === undefined ? nameOf(actor) : `${nameOf(actor)}: “${reason}”`
  }
  return (one) => one.approved_by.map((actor) => said(one, actor)).join(', ') || 'no one yet'
}

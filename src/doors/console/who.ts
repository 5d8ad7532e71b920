import type { Ctx } from '../../exchange/context.ts'
import { listOperators, operatorSubject } from '../../exchange/operators/operator.ts'

/** Names operators by their e-mail addresses, and all others as the audit does; nobody has no name. */
export async function whoIs(ctx: Pick<Ctx, 'db'>): Promise<(actor: string | null) => string> {
  const names = new Map((await listOperators(ctx)).map((one) => [operatorSubject(one), one.email]))
  return (actor) => (actor === null ? '' : (names.get(actor) ?? actor))
}

import type { Ctx } from '../../exchange/context.ts'
import { readNames } from '../../exchange/operators/names.ts'

/** Names operators, and all others as the audit does; nobody has no name. */
export const whoIs = async (ctx: Pick<Ctx, 'db'>): Promise<(actor: string | null) => string> =>
  (await readNames(ctx)).of

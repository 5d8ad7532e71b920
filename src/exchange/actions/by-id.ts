import type { Ctx } from '../context.ts'
import { readId } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { SubjectKind } from './action.ts'

/** Finds what an id of digits names. `what` is in the sentence where there is none. */
export const byId =
  <Subject>(
    what: string,
    find: (ctx: Ctx, id: bigint) => Promise<Subject | undefined> | Subject | undefined,
  ): SubjectKind<Subject>['find'] =>
  async (ctx, text) => {
    const id = readId(text)
    const found = id === undefined ? undefined : await find(ctx, id)
    if (found === undefined) throw new Refusal('NOT_FOUND', `There is no such ${what}.`)
    return found
  }

import type { Ctx } from '../context.ts'
import { listOperators, operatorSubject } from './operator.ts'

/** How people are shown who are stored as `operator:12`. */
export type Names = {
  /** The name, else the e-mail address; of others what is stored; empty for null. */
  of(actor: string | null): string
  /** A text in which actors may be named. */
  within(text: string): string
}

/** Reads the names of all operators, disabled ones too. */
export async function readNames(ctx: Pick<Ctx, 'db'>): Promise<Names> {
  const names = new Map<string, string>(
    (await listOperators(ctx)).map((one) => [operatorSubject(one), one.name || one.email]),
  )
  return {
    of: (actor) => (actor === null ? '' : (names.get(actor) ?? actor)),
    within: (text) => text.replaceAll(/\boperator:\d+/g, (actor) => names.get(actor) ?? actor),
  }
}

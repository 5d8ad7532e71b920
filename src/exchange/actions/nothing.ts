import type { SubjectKind } from './action.ts'

/** The subject of actions that are about nothing in particular. */
export const nothing = (noun: string): SubjectKind<undefined> => ({ noun, find: () => undefined })

import { approvals } from './approvals.ts'
import { caps } from './caps.ts'
import { countries } from './countries.ts'
import { b2b, b2bMethods, feeMethods, fees, withEveryMethod } from './fees.ts'
import { limits } from './limits.ts'
import { payers } from './payers.ts'
import { ranges, withEveryRange } from './ranges.ts'
import { retention } from './retention.ts'
import { risk } from './risk.ts'
import { screening } from './screening.ts'
import { slippage } from './slippage.ts'
import { validity } from './validity.ts'

/** Every kind of policy, by its name in commands, answers and the table. */
export const policyKinds = {
  fees,
  b2b,
  limits,
  risk,
  countries,
  validity,
  slippage,
  approvals,
  caps,
  screening,
  retention,
  payers,
  ranges,
}

export type Kind = keyof typeof policyKinds

export const kindNames = Object.keys(policyKinds) as readonly Kind[]

export const isKind = (name: string): name is Kind => (kindNames as readonly string[]).includes(name)

/** What code applies of a kind. */
export type Rules = { [K in Kind]: ReturnType<(typeof policyKinds)[K]['read']> }

/** Reads a stored document, which fitted its schema when it was proposed. */
export function rulesOf<K extends Kind>(kind: K, document: unknown): Rules[K] {
  const read: (document: never) => unknown = policyKinds[kind].read
  return read(document as never) as Rules[K]
}

/** What a document that fits its schema allows, and its author may not have meant. */
export function warningsOf(kind: Kind, document: unknown): string[] {
  const { warnings } = policyKinds[kind] as { warnings?: (document: never) => string[] }
  return document === null ? [] : (warnings?.(document as never) ?? [])
}

/** A proposed document, with what it may leave out filled in, so that what is stored is whole. */
export function completeDocument(kind: Kind, document: unknown): unknown {
  if (kind === 'ranges') return withEveryRange(document)
  if (kind === 'fees') return withEveryMethod(document, feeMethods)
  return kind === 'b2b' ? withEveryMethod(document, b2bMethods) : document
}

import type { RefusalCode } from '../../platform/lib/refusal.ts'
import { type Bounds, type Shape, textOf, titled } from './shape.ts'

/** The parts of the interface, as the reference groups them. */
export type Tag =
  | 'Status'
  | 'Currencies'
  | 'Estimates'
  | 'Transactions'
  | 'Payment categories'
  | 'Customers'
  | 'B2B'
  | 'Webhooks'

/** One thing that a caller may say in the path or the query. */
export type Input = { shape: Shape<unknown>; about: string; isRequired?: boolean; isDeprecated?: boolean }

/** A body: the fields that are read. Others are ignored. */
export type BodyShape = Shape<unknown> & { properties: Readonly<Record<string, Shape<unknown>>>; required: string[] }

/** Where the id of what was made leads: the operation, and its parameter. */
export type Link = { name: string; to: string; parameter: string; from: string; about: string }

/**
 * A route's entry in the OpenAPI document. A route declares it next to its `access`; who may call it, and what is refused on
 * every route, follows from there. Inputs are declared next to their readers, which judge more strictly than a
 * schema can; a test holds the two together, name by name.
 */
export type Operation = {
  /** Unique: what generated clients call it. */
  id: string
  tag: Tag
  summary: string
  description: string
  path?: Readonly<Record<string, Input>>
  query?: Readonly<Record<string, Input>>
  body?: BodyShape
  /** Response bodies by status, where the route's own schema does not have them. */
  answers?: Readonly<Record<number, Shape<unknown>>>
  /** What each status of success means. */
  says: Readonly<Record<number, string>>
  /** What the handler itself refuses, beyond what the door does. */
  refuses: readonly RefusalCode[]
  /** Bodies of refusals that say more than others, by status. */
  refusedAs?: Readonly<Record<number, Shape<unknown>>>
  links?: readonly Link[]
  /** Reads the address of the customer from the deprecated header too. */
  readsForwarded?: boolean
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What this does, for the OpenAPI document; every route under /v1 that partners program against says so. */
    operation?: Operation
  }
}

/** What a caller may say, and does not have to. */
export const optional = (shape: Shape<unknown>, about: string): Input => ({ shape, about })

/** Input that a caller must provide. */
export const required = (shape: Shape<unknown>, about: string): Input => ({ shape, about, isRequired: true })

/** A body with these fields; some are required. */
export const bodyOf = (
  title: string,
  properties: Readonly<Record<string, Shape<unknown>>>,
  mandatory: readonly string[] = [],
): BodyShape => titled(title, { type: 'object', properties, required: [...mandatory] })

/** A part of a body; `said` are a description, or the fields that must be there with it. */
export const partOf = (
  properties: Readonly<Record<string, Shape<unknown>>>,
  said: { description?: string; required?: readonly string[] } = {},
): BodyShape & Bounds => ({ type: 'object', properties, ...said, required: [...(said.required ?? [])] })

/** A currency as callers write it, in any letter case. */
export const tickerIn = textOf({ title: 'TickerInput', pattern: '^[A-Za-z0-9]{1,32}$', minLength: 1, maxLength: 32 })

/** A network as callers write it, in any letter case; its aliases are read too. */
export const networkIn = textOf({ title: 'NetworkInput', pattern: '^[A-Za-z0-9]{1,32}$', minLength: 1, maxLength: 32 })

/** A payment category as callers write it, in any letter case. */
export const categoryIn = textOf({ title: 'PaymentCategoryInput', pattern: '^[A-Za-z_]{1,32}$', maxLength: 32 })

/** A payment method as callers write it. */
export const methodIn = textOf({ title: 'PaymentMethodInput', pattern: '^[A-Za-z_]{1,32}_\\d{1,3}$', maxLength: 36 })

/** A country as callers write it, in any letter case. */
export const countryIn = textOf({ title: 'CountryInput', pattern: '^[A-Za-z]{2}$', maxLength: 2 })

/** A pair of currencies with or without their networks. */
export const pairIn = textOf({
  title: 'PairInput',
  pattern: '^[A-Za-z0-9]{1,32}(-[A-Za-z0-9]{1,32})?_[A-Za-z0-9]{1,32}(-[A-Za-z0-9]{1,32})?$',
  maxLength: 131,
})

/** An amount in a query. */
export const amountText = textOf({
  title: 'AmountText',
  pattern: '^\\s*\\d{1,30}(\\.\\d{1,30})?([eE][+-]?\\d{1,4})?\\s*$',
  maxLength: 100,
  examples: ['100', '0.005', '5e-7'],
})

/** An amount in a body: a number, read from its digits, or a text. */
export const amountIn: Shape<unknown> & Bounds = {
  title: 'AmountInput',
  type: ['number', 'string'],
  minimum: 0,
  maximum: 1e30,
  pattern: '^\\d{1,30}(\\.\\d{1,30})?$',
  maxLength: 61,
}

/** A yes or no in a query. */
export const flagText = textOf({
  title: 'FlagText',
  pattern: '^([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|0|1)$',
  maxLength: 5,
  examples: ['true', 'false'],
})

/** A yes or no in a body. */
export const flagIn: Shape<unknown> & Bounds = {
  title: 'FlagInput',
  type: ['boolean', 'string', 'integer'],
  format: 'int32',
  minimum: 0,
  maximum: 1,
  pattern: '^([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|0|1)$',
  maxLength: 5,
}

/** An id in a path. */
export const idIn = textOf({ title: 'IdInput', pattern: '^[1-9]\\d{0,18}$', maxLength: 19 })

/** A text of a body. */
export const textIn = (maxLength: number, more: Bounds = {}): Shape<unknown> & Bounds => textOf({ maxLength, ...more })

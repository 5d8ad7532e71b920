import type { Ctx } from '../../exchange/context.ts'
import { indexHash } from '../../platform/privacy/master-key.ts'
import { seal, unseal } from '../../platform/privacy/seal.ts'
import type { FieldReader } from './fields.ts'
import { optional, textIn } from './operation.ts'
import { flag, list, object, orNull, type Shape, textOf, titled, wholeNumber } from './shape.ts'

const usualLimit = 50
/** More is not refused: it is this. */
const mostRows = 100
/** Skipped rows are read too. To go farther, callers use the cursor, which costs the same everywhere. */
const farthestOffset = 100_000

/** A place in a list. */
const cursor = textOf({ pattern: '^[\\w-]+$', maxLength: 512 })

/** The response of every list: `data`, and where it continues. */
export const paged = <T>(items: Shape<T>) =>
  object({
    data: list(items, mostRows),
    pagination: titled('Pagination', placeUpTo(mostRows)),
  })

/** Where a list continues whose pages have at most so many rows. */
export const placeUpTo = (most: number) =>
  object({
    limit: wholeNumber(1, most),
    offset: wholeNumber(0, farthestOffset),
    has_more: flag,
    next_cursor: orNull(cursor),
  })

/** What every list may be asked for. */
export const pageQuery = {
  limit: optional(
    textIn(10, { pattern: '^\\d+$', examples: ['50'] }),
    'How many rows, from 1; 50 unless said, 100 at most.',
  ),
  offset: optional(
    textIn(10, { pattern: '^\\d+$', examples: ['0'] }),
    'How many rows are passed over, at most 100,000.',
  ),
  cursor: optional(
    textIn(512, { pattern: '^[\\w-]+$' }),
    'Where to continue: `next_cursor` of the previous page, with the same filters. Costs the same at any depth.',
  ),
}

/** `sorting`: by time of creation, in any letter case; `usual` where nothing is said. */
export function readSorting(read: FieldReader, value: string | undefined, usual: 'asc' | 'desc'): 'asc' | 'desc' {
  const wanted = value?.toLowerCase() ?? usual
  if (wanted === 'asc' || wanted === 'desc') return wanted
  read.tell('sorting', 'This must be one of desc, asc.')
  return usual
}

/** `limit`: how many rows a page has. Absent is 50, over 100 is 100. */
export function readLimit(read: FieldReader, value: string | undefined): number {
  const limit = countIn(value) ?? (value === undefined ? usualLimit : 0)
  if (limit < 1) read.tell('limit', 'This must be a whole number from 1 to 100.')
  return Math.min(limit, mostRows)
}

/** `offset`: how many rows are passed over; absent is 0, at most 100,000. */
export function readOffset(read: FieldReader, value: string | undefined): number {
  const offset = countIn(value) ?? (value === undefined ? 0 : -1)
  if (offset >= 0 && offset <= farthestOffset) return offset
  read.tell('offset', `This must be a whole number from 0 to ${farthestOffset}. To read on from there, use the cursor.`)
  return 0
}

/** Digits, with white space around them. Numbers beyond the exact range count as its largest. */
const countIn = (text: string | undefined): number | undefined =>
  text !== undefined && /^\s*\d{1,1000}\s*$/.test(text) ? Math.min(parseInt(text, 10), 2 ** 31) : undefined

/** The caller and the filters that a cursor was made for: it opens for the same ones only. */
export type Question = readonly (string | null)[]

/**
 * Makes a cursor of a position: encrypted, because positions have ids in them that partners do not see, and authentic, so
 * that it leads nowhere but to where we pointed. The key is one of the question's own, so no key ever seals much.
 */
export const writeCursor = ({ secrets }: Pick<Ctx, 'secrets'>, question: Question, position: string): string =>
  seal(keyOf({ secrets }, question), position, place).toString('base64url')

/** The position of a cursor. What we did not write, or wrote to another question or another partner, is a problem of `cursor`. */
export function readCursor(
  { secrets }: Pick<Ctx, 'secrets'>,
  read: FieldReader,
  question: Question,
  cursor: string | undefined,
): string | undefined {
  if (cursor === undefined) return undefined
  const bytes = Buffer.from(cursor, 'base64url')
  if (bytes.length > sealOverhead && bytes.toString('base64url') === cursor) {
    try {
      return unseal(keyOf({ secrets }, question), bytes, place).toString('utf8')
    } catch {
      // Whatever the reason: nobody but us can write one that opens.
    }
  }
  return read.tell('cursor', 'This is not a cursor of this list with these filters: begin without one.')
}

const place = 'cursors'
/** Nonce and tag. */
const sealOverhead = 28

const keyOf = ({ secrets }: Pick<Ctx, 'secrets'>, question: Question): Buffer =>
  indexHash(secrets, 'cursor', JSON.stringify(question))

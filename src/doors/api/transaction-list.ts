import type { FastifyInstance } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { lifecycle, type Status } from '../../exchange/transactions/lifecycle.ts'
import { type Listing, type ListPosition, listTransactions } from '../../exchange/transactions/list.ts'
import { recordOf } from '../../exchange/transactions/record.ts'
import type { Transaction } from '../../exchange/transactions/transaction.ts'
import { callerOf } from './authenticate.ts'
import { type FieldReader, fieldReader, ownReference } from './fields.ts'
import { readSpan } from './list-dates.ts'
import {
  paged,
  pageQuery,
  type Question,
  readCursor,
  readLimit,
  readOffset,
  readSorting,
  writeCursor,
} from './pagination.ts'
import { type Operation, optional, textIn } from './operation.ts'
import { type Query, queryText } from './query.ts'
import { oneOf, type Shaped, type ShapeProvider, titled } from './shape.ts'
import { transactionRecord } from './transaction-shape.ts'

const statuses = Object.keys(lifecycle) as Status[]

const transactionPage = titled('TransactionPage', paged(transactionRecord))

/** `GET /v1/transactions`: the retail transactions of the key's own partner, whole; for secret keys. */
export function transactionList(app: FastifyInstance, ctx: Ctx): void {
  app
    .withTypeProvider<ShapeProvider>()
    .get(
      '/transactions',
      { config: { access: 'secret-key', operation }, schema: { response: { 200: transactionPage } } },
      async (request) => {
        const { partner } = callerOf(request)
        const own = { partnerId: partner.id, kind: 'retail' } as const
        return answerList(ctx, request.query as Query, own, (transaction) => recordOf(ctx, transaction))
      },
    )
}

const moment = textIn(40, {
  pattern: '^[1-9]\\d{3}-\\d\\d-\\d\\d([Tt]\\d\\d:\\d\\d.*)?$',
  examples: ['2026-11-20', '2026-11-20T10:30:00.000Z'],
})

/** What lists of transactions may be asked for. */
export const listQuery = {
  ...pageQuery,
  sorting: optional(oneOf('desc', 'asc'), 'By time of creation; the newest first unless said.'),
  from_date: optional(moment, 'Created at or after. UTC unless a zone is named.'),
  to_date: optional(moment, 'Created at or before; a date without a time includes the day.'),
  updated_from_date: optional(moment, 'Changed at or after.'),
  updated_to_date: optional(moment, 'Changed at or before.'),
  status: optional(oneOf(...statuses), 'Filter by status.'),
  external_partner_link_id: optional(textIn(255), 'Filter by your own reference.'),
}

const operation: Operation = {
  id: 'listTransactions',
  tag: 'Transactions',
  summary: 'List transactions',
  description: "The account's transactions for customers, page by page. B2B transactions have a list of their own.",
  query: listQuery,
  says: { 200: 'A page.' },
  refuses: ['BAD_REQUEST'],
}

/** A page of a list, in the answer's shape. */
type Page<Record> = { data: Record[]; pagination: Shaped<typeof transactionPage>['pagination'] }

/** Answers what a query asks of a partner's transactions of one kind. Refuses with everything that cannot be read. */
export async function answerList<Record>(
  ctx: Ctx,
  query: Query,
  own: Pick<Listing, 'partnerId' | 'kind'>,
  write: (transaction: Transaction) => Record,
): Promise<Page<Record>> {
  const read = fieldReader()
  const listing = { ...own, ...readListing(read, query) }
  const limit = readLimit(read, queryText(query, 'limit'))
  const offset = readOffset(read, queryText(query, 'offset'))
  const question = questionOf(listing)
  const cursor = readCursor(ctx, read, question, queryText(query, 'cursor'))
  const [first] = read.problems
  if (first) throw new Refusal('BAD_REQUEST', first.message, [...read.problems])

  const start = cursor === undefined ? { offset } : { after: positionOf(cursor) }
  const { transactions, next } = await listTransactions(ctx, listing, limit, start)
  return {
    data: transactions.map(write),
    pagination: {
      limit,
      offset: cursor === undefined ? offset : 0,
      has_more: next !== undefined,
      next_cursor: next ? writeCursor(ctx, question, `${next.id} ${next.created}`) : null,
    },
  }
}

function readListing(read: FieldReader, query: Query): Omit<Listing, 'partnerId' | 'kind'> {
  const given = (name: string): string | undefined => queryText(query, name)
  return {
    sorting: readSorting(read, given('sorting'), 'desc'),
    created: readSpan(read, ['from_date', 'to_date'], [given('from_date'), given('to_date')]),
    updated: readSpan(
      read,
      ['updated_from_date', 'updated_to_date'],
      [given('updated_from_date'), given('updated_to_date')],
    ),
    status: oneOfTexts(read, 'status', given('status'), statuses),
    externalPartnerLinkId: read.text('external_partner_link_id', given('external_partner_link_id'), ownReference),
  }
}

/** One of a few values, in any letter case. */
function oneOfTexts<Value extends string>(
  read: FieldReader,
  path: string,
  value: string | undefined,
  values: readonly Value[],
): Value | undefined {
  if (value === undefined) return undefined
  return (
    values.find((one) => one === value.toLowerCase()) ?? read.tell(path, `This must be one of ${values.join(', ')}.`)
  )
}

/** All that decides which rows are in the list and in which order: a cursor holds for just these. */
const questionOf = ({
  partnerId,
  kind,
  sorting,
  created,
  updated,
  status,
  externalPartnerLinkId,
}: Listing): Question => [
  'transactions',
  String(partnerId),
  kind,
  sorting,
  ...[created.from, created.before, updated.from, updated.before].map((date) => date?.toISOString() ?? null),
  status ?? null,
  externalPartnerLinkId ?? null,
]

function positionOf(cursor: string): ListPosition {
  const space = cursor.indexOf(' ')
  return { id: BigInt(cursor.slice(0, space)), created: cursor.slice(space + 1) }
}

import type { FastifyInstance } from 'fastify'

import { type B2bOrder, createTransaction } from '../../exchange/b2b/create-transaction.ts'
import type { Ctx } from '../../exchange/context.ts'
import type { Problem } from '../../platform/lib/refusal.ts'
import { b2bRecordOf } from '../../exchange/transactions/record.ts'
import { callerOf } from './authenticate.ts'
import { b2bOnly } from './b2b-market.ts'
import { destination } from './b2b-payout-body.ts'
import { type FieldReader, fieldReader, type Fields, isAbsent, ownReference } from './fields.ts'
import { answerOnce } from './idempotency.ts'
import { bodyObject } from './json-body.ts'
import { amountIn, bodyOf, idIn, networkIn, type Operation, textIn, tickerIn } from './operation.ts'
import { paged } from './pagination.ts'
import type { Query } from './query.ts'
import { about, type ShapeProvider, titled } from './shape.ts'
import { answerList, listQuery } from './transaction-list.ts'
import { b2bTransactionRecord } from './transaction-shape.ts'
import { toRead } from './transactions.ts'

/** `POST /v1/b2b/transaction` and `GET /v1/b2b/transactions`. */
export function b2bTransactions(app: FastifyInstance, ctx: Ctx): void {
  const typed = app.withTypeProvider<ShapeProvider>()
  typed.post(
    '/b2b/transaction',
    {
      config: { ...b2bOnly, creates: true, once: 'with-its-work', operation: creating },
      schema: { response: { 201: b2bTransactionRecord } },
    },
    (request, reply) => {
      const { partner } = callerOf(request)
      return answerOnce(ctx, request, reply, async (db) => {
        const read = readOrder(bodyObject(request))
        const { record, dataKey } = await (db
          ? createTransaction(ctx, db, partner, read)
          : ctx.db.atomic((block) => createTransaction(ctx, block, partner, read)))
        return { status: 201, body: record, dataKey }
      })
    },
  )
  typed.get(
    '/b2b/transactions',
    { config: { ...b2bOnly, operation: listing }, schema: { response: { 200: b2bPage } } },
    (request) => {
      const own = { partnerId: callerOf(request).partner.id, kind: 'b2b' } as const
      return answerList(ctx, request.query as Query, own, (transaction) => b2bRecordOf(ctx, transaction))
    },
  )
}

const b2bPage = titled('B2bTransactionPage', paged(b2bTransactionRecord))

const order = bodyOf(
  'CreateB2bTransaction',
  {
    from_amount: about(amountIn, 'The amount to pay.'),
    from_currency: tickerIn,
    from_network: about(networkIn, "Defaults to the currency's main network."),
    to_currency: tickerIn,
    to_network: about(networkIn, "Defaults to the currency's main network."),
    payout_account_address: textIn(255, { description: 'A registered account number or wallet address.' }),
    payout_address_id: about(idIn, 'The id of a registered address, in place of the address itself.'),
    external_partner_link_id: textIn(255, { description: 'Your own reference for the transaction.' }),
  },
  ['from_amount', 'from_currency', 'to_currency'],
)

const creating: Operation = {
  id: 'createB2bTransaction',
  tag: 'B2B',
  summary: 'Create a B2B transaction',
  description:
    'Creates an exchange that pays to a registered, active address; the answer says where to pay (`deposit`, and ' +
    '`deposit_bank` for bank transfers). There is no checkout.',
  body: order,
  says: { 201: 'The transaction, `waiting_for_deposit`.' },
  refuses: ['BAD_REQUEST', 'PAIR_NOT_AVAILABLE', 'CONFLICT'],
  links: [toRead],
}

const listing: Operation = {
  id: 'listB2bTransactions',
  tag: 'B2B',
  summary: 'List B2B transactions',
  description: "The account's B2B transactions, page by page.",
  query: listQuery,
  says: { 200: 'A page.' },
  refuses: ['BAD_REQUEST'],
}

/** Reads an order. `problems` lists what is missing or malformed, in the order of the fields. */
function readOrder(body: Fields): { order: B2bOrder; problems: readonly Problem[] } {
  const read = fieldReader()
  const order = {
    fromAmount: read.amount('from_amount', body.from_amount) ?? '',
    fromCurrency: currency(read, 'from_currency', body.from_currency),
    fromNetwork: read.text('from_network', body.from_network),
    toCurrency: currency(read, 'to_currency', body.to_currency),
    toNetwork: read.text('to_network', body.to_network),
    payoutAccountAddress: read.text('payout_account_address', body.payout_account_address, destination),
    payoutAddressId: read.text('payout_address_id', body.payout_address_id, {
      isNumberRead: true,
      isCardChecked: false,
    }),
    externalPartnerLinkId: read.text('external_partner_link_id', body.external_partner_link_id, ownReference),
  }
  if (isAbsent(body.payout_account_address) && isAbsent(body.payout_address_id)) {
    read.tell(
      'payout_account_address',
      'This is required, or payout_address_id: a registered payout address.',
      'REQUIRED',
    )
  }
  return { order, problems: read.problems }
}

function currency(read: FieldReader, path: string, value: unknown): string {
  if (isAbsent(value)) read.tell(path, 'This is required.', 'REQUIRED')
  return read.text(path, value) ?? ''
}

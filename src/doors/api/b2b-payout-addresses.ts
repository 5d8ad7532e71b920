import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import { addBankAccount, type Registrant } from '../../exchange/b2b/add-bank-account.ts'
import { addCryptoWallet } from '../../exchange/b2b/add-crypto-wallet.ts'
import type { Ctx } from '../../exchange/context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import {
  type PayoutAddress,
  payoutAddressRecord,
  type PayoutAddressRecord,
} from '../../exchange/partners/payout-address.ts'
import { type AddressPosition, pagePayoutAddresses } from '../../exchange/partners/payout-addresses.ts'
import { callerOf } from './authenticate.ts'
import { b2bOnly } from './b2b-market.ts'
import { readBankAccount, readCryptoWallet } from './b2b-payout-body.ts'
import { answerOnce } from './idempotency.ts'
import { bodyObject } from './json-body.ts'
import { bankAccountBody, cryptoWalletBody } from './b2b-payout-inputs.ts'
import { category, id, line, textOrEmpty, time } from './field-shapes.ts'
import { fieldReader } from './fields.ts'
import { type Operation, optional } from './operation.ts'
import { pageQuery, placeUpTo, readCursor, readLimit, readOffset, readSorting, writeCursor } from './pagination.ts'
import { type Query, queryText } from './query.ts'
import { eitherOf, list, object, oneOf, type Shaped, type ShapeProvider, titled } from './shape.ts'

/** `POST /v1/b2b/add-bank-account`, `POST /v1/b2b/add-crypto-wallet` and `GET /v1/b2b/payout-addresses`. */
export function b2bPayoutAddresses(app: FastifyInstance, ctx: Ctx): void {
  const typed = app.withTypeProvider<ShapeProvider>()
  const adding = (operation: Operation) =>
    ({
      config: { ...b2bOnly, creates: true, once: 'with-its-work', operation },
      schema: { response: { 200: payoutAddress, 201: payoutAddress } },
    }) as const

  typed.post('/b2b/add-bank-account', adding(addingAccount), (request, reply) =>
    register(ctx, request, reply, (db, registrant) =>
      addBankAccount(ctx, db, registrant, readBankAccount(bodyObject(request))),
    ),
  )
  typed.post('/b2b/add-crypto-wallet', adding(addingWallet), (request, reply) =>
    register(ctx, request, reply, (db, registrant) =>
      addCryptoWallet(ctx, db, registrant, readCryptoWallet(bodyObject(request))),
    ),
  )
  typed.get(
    '/b2b/payout-addresses',
    { config: { ...b2bOnly, operation: listing }, schema: { response: { 200: payoutAddresses } } },
    (request) => answerAddresses(ctx, callerOf(request).partner.id, request.query as Query),
  )
}

/** How many an answer has at most when no page is asked for; more than any institution registers. */
const mostUnpaged = 10_000

/**
 * Answers a page over both kinds together, by creation, and sorts what is on it by kind. Where no page is asked for, it is the list
 * that programs knew before there were pages: everything, the oldest first. Refuses with everything that cannot be read.
 */
async function answerAddresses(ctx: Ctx, partnerId: bigint, query: Query): Promise<Shaped<typeof payoutAddresses>> {
  const read = fieldReader()
  const given = (name: keyof typeof addressQuery): string | undefined => queryText(query, name)
  const isPaged = Object.keys(addressQuery).some((name) => queryText(query, name) !== undefined)
  const limit = isPaged ? readLimit(read, given('limit')) : mostUnpaged
  const offset = readOffset(read, given('offset'))
  const sorting = readSorting(read, given('sorting'), 'asc')
  const question = ['payout-addresses', String(partnerId), sorting]
  const cursor = readCursor(ctx, read, question, given('cursor'))
  const [first] = read.problems
  if (first) throw new Refusal('BAD_REQUEST', first.message, [...read.problems])

  const start = cursor === undefined ? { offset } : { after: positionOf(cursor) }
  const { addresses, next } = await pagePayoutAddresses(ctx, partnerId, { sorting, limit, start })
  const records = addresses.map(payoutAddressRecord)
  return {
    bank_accounts: records.filter(({ type }) => type === 'bank_account'),
    crypto_wallets: records.filter(({ type }) => type === 'crypto_wallet'),
    pagination: {
      limit,
      offset: cursor === undefined ? offset : 0,
      has_more: next !== undefined,
      next_cursor: next ? writeCursor(ctx, question, `${next.id} ${next.createdAt.toISOString()}`) : null,
    },
  }
}

function positionOf(cursor: string): AddressPosition {
  const space = cursor.indexOf(' ')
  return { id: BigInt(cursor.slice(0, space)), createdAt: new Date(cursor.slice(space + 1)) }
}

/** A registered address: an account has its masked number, a wallet its address and memo. */
export const payoutAddress = titled(
  'PayoutAddress',
  eitherOf<PayoutAddressRecord>(
    {
      id,
      type: oneOf('bank_account', 'crypto_wallet'),
      label: line,
      status: oneOf('pending_review', 'active', 'rejected', 'disabled'),
      payment_category: category,
      currency: textOrEmpty,
      network: textOrEmpty,
      account_number: line,
      address: line,
      extra_id: line,
      created_at: time,
      active_from: time,
    },
    ['account_number', 'address', 'extra_id'],
  ),
)

const payoutAddresses = titled(
  'PayoutAddresses',
  object({
    bank_accounts: list(payoutAddress, mostUnpaged),
    crypto_wallets: list(payoutAddress, mostUnpaged),
    pagination: titled('PayoutAddressesPagination', placeUpTo(mostUnpaged)),
  }),
)

/** What the list may be asked for. */
const addressQuery = {
  ...pageQuery,
  sorting: optional(oneOf('desc', 'asc'), 'By time of creation; the oldest first unless said.'),
}

const says = { 200: 'It was registered before: the same record.', 201: 'The record of the new address.' }

const addingAccount: Operation = {
  id: 'addBankAccount',
  tag: 'B2B',
  summary: 'Register a bank account',
  description:
    'Registers an account to be paid to. We validate the account number and the BIC. A new address is active after its ' +
    "cooling-off time and, where the account asks for it, an operator's approval. The same account twice is the same record.",
  body: bankAccountBody,
  says,
  refuses: ['BAD_REQUEST', 'CONFLICT'],
}

const addingWallet: Operation = {
  ...addingAccount,
  id: 'addCryptoWallet',
  summary: 'Register a wallet',
  description:
    'Registers a wallet to be paid to. We validate the address, including its checksum. A new address is active after its ' +
    "cooling-off time and, where the account asks for it, an operator's approval. The same wallet twice is the same record.",
  body: cryptoWalletBody,
}

const listing: Operation = {
  id: 'listPayoutAddresses',
  tag: 'B2B',
  summary: 'List the registered addresses',
  description:
    'Every bank account and wallet that was registered, whatever its status. Account numbers are masked. Without `limit`, ' +
    '`offset`, `cursor` or `sorting`, returns all of them, up to 10,000, oldest first. With any of these, returns a page of both ' +
    'kinds by creation time; each list has the entries of its kind.',
  query: addressQuery,
  says: { 200: 'All of them, or a page.' },
  refuses: ['BAD_REQUEST'],
}

type Registering = (db: Atomic, registrant: Registrant) => Promise<{ address: PayoutAddress; isNew: boolean }>

/** Registers once for its `Idempotency-Key`: 201 what is new, 200 what was there. */
function register(
  ctx: Ctx,
  request: FastifyRequest,
  reply: FastifyReply,
  add: Registering,
): Promise<PayoutAddressRecord> {
  const { partner, key } = callerOf(request)
  const registrant = { partner, actor: `key:${key.id}` }
  return answerOnce(ctx, request, reply, async (db) => {
    const { address, isNew } = await (db ? add(db, registrant) : ctx.db.atomic((block) => add(block, registrant)))
    if (isNew) request.securityEvent = 'address_added'
    return { status: isNew ? 201 : 200, body: payoutAddressRecord(address), dataKey: address.dataKey }
  })
}

import { type Available, resolve } from '../availability/resolve.ts'
import { refusalOf } from '../availability/rule.ts'
import type { Ctx } from '../context.ts'
import { findOrMakePartnerCustomers, type PartnerCustomer } from '../customers/partner-customer.ts'
import { type Atomic, CommitUnknown } from '../db/sql.ts'
import { recordEvents } from '../events/record.ts'
import { after } from '../lib/clock.ts'
import { gather } from '../lib/gather.ts'
import { randomId } from '../lib/ids.ts'
import { type Problem, Refusal } from '../lib/refusal.ts'
import { scale } from '../money/amount.ts'
import type { Partner } from '../partners/partner.ts'
import { makeQuote, type Quote } from '../pricing/quote.ts'
import type { DataKey } from '../privacy/data-key.ts'
import { changedRow, createdEvents } from './advance.ts'
import type { CreateInput, ReadRequest } from './create-input.ts'
import { checkPayoutAddress } from './payout-address.ts'
import { askOf, momentOf, payDeadlineMs, priceValidityMs, termsOfPartner } from './policy.ts'
import * as queries from './queries.ts'
import { recordOf, type TransactionRecord } from './record.ts'
import type { Transaction } from './transaction.ts'

/** A created transaction, as its partner sees it, with the key that its stored copies are encrypted with. */
export type Created = { record: TransactionRecord; dataKey: DataKey }

/** What is decided before anything is written: everything that can be refused has been by then. */
type Draft = { partner: Partner; read: ReadRequest<CreateInput>; available: Available; quote: Quote; now: Date }

/**
 * Creates a transaction: judged by the one resolver, priced, stored with its quote, announced. Refuses with the first of all
 * problems. Inside a caller's block (`db`) it commits with that; alone, creates that come at the same time share a block.
 */
export async function createTransaction(
  ctx: Ctx,
  partner: Partner,
  read: ReadRequest<CreateInput>,
  db?: Atomic,
): Promise<Created> {
  const draft = judge(ctx, partner, read)

  // From here on nothing may refuse.
  if (db) {
    const [created] = await write(ctx, db, [draft])
    if (!created) throw new Error('A created transaction is missing.')
    return created
  }
  return gathererOf(ctx)(draft)
}

const gatherers = new WeakMap<Ctx, (draft: Draft) => Promise<Created>>()

function gathererOf(ctx: Ctx): (draft: Draft) => Promise<Created> {
  const known = gatherers.get(ctx)
  if (known) return known
  const made = gather((drafts: Draft[]) => ctx.db.atomic((db) => write(ctx, db, drafts)), {
    most: 32,
    lanes: 2,
    mayRepeat: (error) => !(error instanceof CommitUnknown),
  })
  gatherers.set(ctx, made)
  return made
}

/** Every rule a create must pass, in the order in which it is refused: the form, the pair, the amount, the country. */
function judge(ctx: Ctx, partner: Partner, read: ReadRequest<CreateInput>): Draft {
  const { input, problems } = read
  const [first] = problems
  if (first) throw new Refusal('BAD_REQUEST', first.message, problems)

  const now = ctx.clock.now()
  const outcome = resolve(momentOf(ctx, now), termsOfPartner(partner), askOf(input))
  if (!outcome.available) throw refusalOf(outcome.failures)
  const addressProblem = judgeAddress(ctx, input, outcome)
  if (addressProblem) throw new Refusal('BAD_REQUEST', addressProblem.message, [addressProblem])
  if (!outcome.sum) throw new Error('A create was judged without its amount.')

  const { terms, deposit } = outcome.exchange
  const quote = makeQuote(terms, {
    direction: 'direct',
    amount: outcome.sum.fromAmount,
    feesIncluded: true,
    madeAt: now,
    validForSeconds: priceValidityMs(ctx.config, deposit.category) / 1_000,
  })
  return { partner, read, available: outcome, quote, now }
}

/**
 * A preset payout address must be one of its network, checksum included, and not our own, with the memo that the network
 * demands.
 */
function judgeAddress(
  ctx: Pick<Ctx, 'rails'>,
  input: Pick<CreateInput, 'payoutAddress' | 'payoutExtraId'>,
  { exchange }: Pick<Available, 'exchange'>,
): Problem | undefined {
  const { chain, name } = exchange.target.network
  if (input.payoutAddress === undefined || chain === null) return undefined

  const check = checkPayoutAddress(ctx, exchange.target, input.payoutAddress)
  if (!check.ok) return { path: 'payout_info.payout_address', code: 'INVALID_ADDRESS', message: check.reason }
  if (chain.memo?.required && input.payoutExtraId === undefined) {
    return { path: 'payout_info.extra_id', code: 'REQUIRED', message: `${name} needs a ${chain.memo.name}.` }
  }
  return undefined
}

/** Writes drafts: a handful of statements however many there are, sent together with the commit. */
async function write(ctx: Ctx, db: Atomic, drafts: Draft[]): Promise<Created[]> {
  const keys = await ctx.keyring.makeMany(db, drafts.length)
  const customers = await customersOf(ctx, db, drafts)
  const created = await Promise.all(
    drafts.map((draft, index) => transactionOf(ctx, draft, keys[index], customers.get(draft))),
  )

  queries.insert(db, created.map(createdRow))
  queries.insertQuotes(db, created.map(quoteRow))
  queries.insertMoves(
    db,
    created.map(({ id, createdAt }) => ({
      transactionId: id,
      number: 1,
      fact: 'created',
      status: 'new',
      reason: null,
      at: createdAt,
    })),
  )
  recordEvents(ctx, db, createdEvents(ctx, created))
  ctx.queue.enqueue(
    db,
    created.map(({ id, expiresAt }) => ({ kind: 'transaction.deadline', key: String(id), runAt: expiresAt })),
  )
  return created.map((transaction) => ({ record: recordOf(ctx, transaction), dataKey: transaction.dataKey }))
}

/** What each partner knows of the e-mail addresses that were passed. */
async function customersOf(ctx: Ctx, db: Atomic, drafts: Draft[]): Promise<Map<Draft, PartnerCustomer>> {
  const known = drafts.flatMap((draft) => {
    const { email } = draft.read.input
    return email === undefined ? [] : [{ draft, passed: { partnerId: draft.partner.id, email } }]
  })
  const found = await findOrMakePartnerCustomers(
    ctx,
    db,
    known.map(({ passed }) => passed),
  )
  return new Map(known.flatMap(({ draft }, index) => (found[index] ? [[draft, found[index]] as const] : [])))
}

async function transactionOf(
  ctx: Ctx,
  draft: Draft,
  dataKey: DataKey | undefined,
  customer: PartnerCustomer | undefined,
): Promise<Transaction> {
  if (!dataKey) throw new Error('A data key is missing.')
  const {
    partner,
    read: { input, warnings },
    available: { exchange, sum },
    quote,
    now,
  } = draft
  const preset = input.payoutAddress !== undefined

  return {
    id: await ctx.rowIds.next(),
    publicId: randomId(),
    partnerId: partner.id,
    kind: 'retail',
    side: exchange.side,
    status: 'new',
    statusDetails: null,
    from: exchange.source,
    to: exchange.target,
    expectedFrom: sum?.fromAmount ?? 0n,
    expectedTo: sum?.toAmount ?? 0n,
    fromAmount: 0n,
    fromAmountInEur: worthInCents(quote, sum?.fromAmount ?? 0n),
    toAmount: null,
    depositMethod: exchange.deposit.type,
    payoutMethod: exchange.payout.type,
    country: input.countryOverride ?? null,
    quoteNumber: 1,
    quote,
    moves: 1,
    events: 1,
    history: [{ fact: 'created', status: 'new', reason: null, at: now }],
    errors: [],
    terms: {
      locale: input.locale ?? null,
      skipChoosePayoutAddress: preset && input.skipChoosePayoutAddress,
      skipChoosePaymentCategory: input.skipChoosePaymentCategory,
      payoutAddressChangeable: !(preset && input.skipChoosePayoutAddress),
      warnings,
    },
    externalPartnerLinkId: input.externalPartnerLinkId ?? null,
    outputHash: null,
    partnerCustomerId: customer?.id ?? null,
    customerId: null,
    dataKey,
    personal: personalOf(input),
    quoteExpiresAt: new Date(quote.validUntil),
    expiresAt: after(now, payDeadlineMs(ctx.config, exchange.deposit.category, now)),
    createdAt: now,
    updatedAt: now,
  }
}

const personalOf = (input: CreateInput): Transaction['personal'] => ({
  email: input.email ?? null,
  phoneNumber: input.phoneNumber ?? null,
  ip: input.customerIp ?? null,
  payoutAddress: input.payoutAddress ?? null,
  payoutExtraId: input.payoutExtraId ?? null,
  redirects: Object.fromEntries(Object.entries(input.redirects).filter(([, url]) => url !== undefined)),
  billing: input.billing ?? null,
})

/** What an amount of the source is worth in euro cents at the quote's price; null where the market's reference is another. */
function worthInCents({ reference, prices, from }: Quote, amount: bigint): bigint | null {
  if (reference !== 'EUR') return null
  const { numerator, denominator } = prices.from
  return scale(amount * 100n, BigInt(numerator), BigInt(denominator) * 10n ** BigInt(from.decimals), 'down')
}

const createdRow = (transaction: Transaction): queries.Created => ({
  ...changedRow(transaction),
  publicId: transaction.publicId,
  partnerId: transaction.partnerId,
  side: transaction.side,
  fromAsset: transaction.from.asset.id,
  toAsset: transaction.to.asset.id,
  fromAmountInEur: transaction.fromAmountInEur,
  depositMethod: transaction.depositMethod,
  payoutMethod: transaction.payoutMethod,
  terms: JSON.stringify(transaction.terms),
  externalPartnerLinkId: transaction.externalPartnerLinkId,
  dataKeyId: transaction.dataKey.id,
  createdAt: transaction.createdAt,
})

/** A transaction's present quote, whole. */
export const quoteRow = ({ id, quoteNumber, quote, quoteExpiresAt }: Transaction): queries.QuoteRow => ({
  transactionId: id,
  number: quoteNumber,
  validUntil: quoteExpiresAt,
  quote: JSON.stringify(quote),
})

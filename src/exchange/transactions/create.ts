import assert from 'node:assert/strict'

import type { Available } from '../availability/resolve.ts'
import type { Listing } from '../../reference/catalog/asset.ts'
import type { Ctx } from '../context.ts'
import { keepPassedBilling, type PassedBilling } from '../customers/billing.ts'
import { findOrMakePartnerCustomers, type PartnerCustomer } from '../customers/partner-customer.ts'
import { type Atomic, CommitUnknown } from '../../platform/db/sql.ts'
import { recordEvents } from '../events/record.ts'
import { after } from '../../platform/lib/clock.ts'
import { gather } from '../../platform/lib/gather.ts'
import { randomId, randomToken } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { Partner } from '../partners/partner.ts'
import { eurCentsOf, makeQuote, type Quote } from '../pricing/quote.ts'
import type { DataKey } from '../../platform/privacy/data-key.ts'
import { createdEvents, createdRow, statusChangeRow } from './advance.ts'
import { holderIn } from './payout-destination.ts'
import type { CreateInput, ReadRequest } from './create-input.ts'
import { deadlineDue, deadlineKey } from './deadline.ts'
import { judgeCreate, refusalOfFaults } from './judge.ts'
import { lockPrices, type LockedOrder } from './open-locks.ts'
import { heldFor, kindOf, payDeadlineMs, validityOf } from './policy.ts'
import { keepQuotes } from './quote-stamp.ts'
import * as queries from './transactions.sql.ts'
import { recordOf, type TransactionRecord } from './record.ts'
import { takeSharedTokens } from './shared-token.ts'
import type { Transaction } from './transaction.ts'
import { logRefused } from '../policies/refused.ts'

/** A created transaction, as its partner sees it, with the key that its stored copies are encrypted with. */
export type Created<Record = TransactionRecord> = { record: Record; dataKey: DataKey }

/** What an institution asks for: an exchange without a checkout, paid to an address that is registered and active. */
export type B2bInput = CreateInput & Required<Pick<CreateInput, 'b2b'>>

/** What is decided before anything is written: everything that can be refused has been by then. */
type Draft = {
  partner: Partner
  read: ReadRequest<CreateInput>
  available: Available
  country: string | null
  quote: Quote
  now: Date
}

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
  const draft = drafted(ctx, partner, read)
  const transaction = db ? await writeOne(ctx, db, draft) : createdOf(await gathererOf(ctx)(draft))
  return { record: recordOf(ctx, transaction), dataKey: transaction.dataKey }
}

/**
 * Creates a transaction in the caller's block and gives it whole, for who moves it on at once. Refuses with the first of all
 * problems.
 */
export const createInBlock = async (
  ctx: Ctx,
  db: Atomic,
  partner: Partner,
  read: ReadRequest<CreateInput>,
): Promise<Transaction> => writeOne(ctx, db, drafted(ctx, partner, read))

async function writeOne(ctx: Ctx, db: Atomic, draft: Draft): Promise<Transaction> {
  const [created] = await write(ctx, db, [draft])
  return createdOf(created)
}

function createdOf(outcome: Transaction | Refusal | undefined): Transaction {
  if (outcome instanceof Refusal) throw outcome
  if (!outcome) throw new Error('A created transaction is missing.')
  return outcome
}

const gatherers = new WeakMap<Ctx, (draft: Draft) => Promise<Transaction | Refusal>>()

function gathererOf(ctx: Ctx): (draft: Draft) => Promise<Transaction | Refusal> {
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

/** Refuses a create that breaks a rule, and prices one that breaks none. */
function drafted(ctx: Ctx, partner: Partner, read: ReadRequest<CreateInput>): Draft {
  const now = ctx.clock.now()
  const { faults, available, country } = judgeCreate(ctx, partner, read, now)
  const [first] = faults
  if (first) {
    const refusal = refusalOfFaults(first, read.problems)
    const kinds = [kindOf(read.input) === 'b2b' ? 'b2b' : 'fees', 'countries'] as const
    if (read.problems.length === 0) logRefused(ctx, refusal, { partnerId: partner.id, kinds })
    throw refusal
  }
  if (!available?.sum) throw new Error('A transaction was evaluated without an amount.')

  const { terms, deposit } = available.exchange
  const validity = validityOf(ctx, { partnerId: partner.id }, now)
  const payment = { category: deposit.category, kind: kindOf(read.input) }
  const held = heldFor(ctx, { rules: validity.rules, payment, rate: terms.rate, now })
  const quote = makeQuote(terms, {
    direction: 'direct',
    amount: available.sum.fromAmount,
    feesIncluded: true,
    madeAt: now,
    validForSeconds: Math.floor(held.ms / 1_000),
    isFastMarket: held.isFastMarket,
    policies: { validity: validity.version },
  })
  return { partner, read, available, country: country ?? null, quote, now }
}

/**
 * Writes drafts: a handful of statements however many there are, sent together with the commit. One whose price cannot be held,
 * because too many are, is refused by itself: the others are written.
 */
async function write(ctx: Ctx, db: Atomic, drafts: Draft[]): Promise<(Transaction | Refusal)[]> {
  const customers = await customersOf(ctx, db, drafts)
  const refusals = await lockPrices(
    ctx,
    db,
    drafts.map((draft) => lockedOrder(draft, customers.get(draft))),
  )
  const accepted = drafts.filter((_, index) => refusals[index] === undefined)

  // From here on nothing may refuse.
  const created = accepted.length === 0 ? [] : await writeAccepted(ctx, db, accepted, customers)
  let next = 0
  return refusals.map((refusal) => refusal ?? created[next++] ?? assert.fail('a draft was neither written nor refused'))
}

const lockedOrder = (
  { partner, available: { exchange, sum }, quote }: Draft,
  customer: PartnerCustomer | undefined,
): LockedOrder => ({
  partnerId: partner.id,
  partnerCustomerId: customer?.id ?? null,
  customerId: customer?.customerId ?? null,
  from: exchange.source,
  to: exchange.target,
  fromAmountInEur: eurCentsOf(quote, sum?.fromAmount ?? 0n),
  quoteExpiresAt: new Date(quote.validUntil),
})

async function writeAccepted(ctx: Ctx, db: Atomic, drafts: Draft[], customers: Customers): Promise<Transaction[]> {
  const keys = await ctx.keyring.makeMany(db, drafts.length)
  await keepPassedBilling(ctx, db, passedBilling(drafts, customers))
  const created = await Promise.all(
    drafts.map((draft, index) => transactionOf(ctx, draft, keys[index], customers.get(draft))),
  )
  queries.insert(db, created.map(createdRow))
  keepQuotes(ctx, db, created)
  queries.insertStatusChanges(db, created.map(statusChangeRow))
  recordEvents(ctx, db, createdEvents(ctx, created))
  ctx.queue.enqueue(
    db,
    created.map(({ id, expiresAt }) => ({ kind: deadlineDue, key: deadlineKey(id), runAt: expiresAt })),
  )
  takeSharedTokens(ctx, db, created)
  ctx.onCreated(db, created)
  return created
}

type Customers = Map<Draft, PartnerCustomer>

/** What was passed of e-mail addresses for later transactions too. Without an address it stays with its transaction. */
const passedBilling = (drafts: Draft[], customers: Customers): PassedBilling[] =>
  drafts.flatMap((draft) => {
    const { email, billing } = draft.read.input
    const customer = customers.get(draft)
    return email === undefined || billing === undefined || !customer
      ? []
      : [{ partnerCustomerId: customer.id, email, billing }]
  })

/** What each partner knows of the e-mail addresses that were passed. */
async function customersOf(ctx: Ctx, db: Atomic, drafts: Draft[]): Promise<Customers> {
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
    available: { exchange, sum, warnings: cut },
    country,
    quote,
    now,
  } = draft
  const preset = input.payoutAddress !== undefined
  const { rules: validity } = validityOf(ctx, { partnerId: partner.id }, now)

  return {
    id: await ctx.rowIds.next(),
    publicId: randomId(),
    checkoutToken: input.b2b ? null : randomToken(18),
    partnerId: partner.id,
    kind: kindOf(input),
    payoutAddressId: input.b2b?.payoutAddressId ?? null,
    side: exchange.side,
    status: 'new',
    statusDetails: null,
    from: exchange.source,
    to: exchange.target,
    expectedFrom: sum?.fromAmount ?? 0n,
    expectedTo: sum?.toAmount ?? 0n,
    initialExpectedFrom: null,
    fromAmount: 0n,
    fromAmountInEur: eurCentsOf(quote, sum?.fromAmount ?? 0n),
    toAmount: null,
    depositMethod: exchange.deposit.type,
    payoutMethod: exchange.payout.type,
    country,
    quoteNumber: 1,
    quote,
    statusChanges: 1,
    events: 1,
    history: [{ kind: 'created', subjectId: null, occurrence: 1, status: 'new', reason: null, at: now }],
    refunds: [],
    errors: [],
    terms: {
      locale: input.locale ?? null,
      skipChoosePayoutAddress: preset && input.skipChoosePayoutAddress,
      skipChoosePaymentCategory: input.skipChoosePaymentCategory,
      payoutAddressChangeable: !(preset && input.skipChoosePayoutAddress),
      warnings: [...warnings, ...cut],
    },
    externalPartnerLinkId: input.externalPartnerLinkId ?? null,
    outputHash: null,
    partnerCustomerId: customer?.id ?? null,
    customerId: null,
    dataKey,
    personal: personalOf(input, exchange.target),
    quoteExpiresAt: new Date(quote.validUntil),
    expiresAt: after(now, payDeadlineMs(validity, { category: exchange.deposit.category, kind: kindOf(input) }, now)),
    createdAt: now,
    updatedAt: now,
  }
}

const personalOf = (input: CreateInput, { network }: Listing): Transaction['personal'] => ({
  email: input.email ?? null,
  phoneNumber: input.phoneNumber ?? null,
  ip: input.customerIp ?? null,
  payoutAddress: input.payoutAddress ?? null,
  payoutExtraId: input.payoutExtraId ?? null,
  payoutHolder: network.chain ? null : (input.payoutHolder ?? holderIn(input.billing)),
  depositAddress: null,
  ...(input.b2b?.intermediary ? { payoutIntermediary: input.b2b.intermediary } : {}),
  redirects: Object.fromEntries(Object.entries(input.redirects).filter(([, url]) => url !== undefined)),
  billing: input.billing ?? null,
  ...(input.sharedToken ? { sharedToken: input.sharedToken } : {}),
})

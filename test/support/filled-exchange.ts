import { capital, held } from '../../src/exchange/ledger/account.ts'
import { entry } from '../../src/exchange/ledger/entry.ts'
import { post } from '../../src/exchange/ledger/post.ts'
import { indexCustomers } from '../../src/exchange/reports/customers-like.ts'
import { setPartner } from '../../src/exchange/partners/change.ts'
import { confirmPayout } from '../../src/exchange/settlement/confirm-payout.ts'
import { endPayout } from '../../src/exchange/settlement/end-payout.ts'
import { addKey } from '../../src/exchange/operators/operator-keys.ts'
import { inviteOperator } from '../../src/exchange/operators/invitation.ts'
import {
  createOperator,
  disableOperator,
  listOperators,
  operatorSubject,
} from '../../src/exchange/operators/operator.ts'
import { holdTransaction, refundTransaction } from '../../src/exchange/operations/staff.ts'
import { createToken } from '../../src/exchange/operators/token.ts'
import { createPortalUser } from '../../src/exchange/partners/portal-users.ts'
import { signOfBrowser } from '../../src/exchange/approvals/passkey.ts'
import { propose } from '../../src/exchange/proposals/proposal.ts'
import { approveRebalance, proposeRebalance } from '../../src/exchange/treasury/move-money.ts'
import { payDeposit } from '../../src/sandbox/api/pay.ts'
import { callsOf, made, wallet } from './b2b.ts'
import { type Exchange, startExchange } from './exchange.ts'
import { arrive, buy, lookup, pay, readyToPay, seen } from './journey.ts'
import { feesDocument, putInForce } from './policies.ts'
import { type KeyHolder, keyHolder, someone, waitingPayout } from './signing.ts'
import { softPasskey, type SoftPasskey } from './soft-passkey.ts'
import { password } from './staff-browser.ts'
import { strayDeposit } from './stray-money.ts'
import { until } from './telling.ts'

/** An exchange in which there is something for every form of the console and the portal. */
export type Filled = {
  exchange: Exchange
  /** The passkey of the sandbox's operator, who is an administrator. */
  passkey: SoftPasskey
  /** The pages of each route that has some. */
  places: Readonly<Record<string, readonly string[]>>
  /** An order that waits for the money of a deposit in suspense. */
  unpaid: string
}

/** Passkeys are for names: browsers make none for a number. */
export const placeOf = ({ url }: Pick<Exchange, 'url'>): string => url.replace('127.0.0.1', 'localhost')

const why = { reason: 'A test asks for it.', actor: 'cli:test' }
const transfer = { from_amount: '250', deposit: { payment_category: 'SEPA' } }

/** Ends what happens by itself: from now on only forms change something. */
export async function quieten({ exchange }: Filled): Promise<void> {
  const { ctx, relay, sender } = exchange.service.composition
  await relay.stop()
  await sender.stop()
  await ctx.queue.stop()
  await indexCustomers(ctx)
}

/** Starts an exchange and fills it. */
export async function filledExchange(): Promise<Filled> {
  const exchange = await startExchange({ RATE_LIMITS: 'off' })
  const { ctx } = exchange.service.composition
  const document = { payouts: { above: '500', currency: 'EUR' }, policies: 'one_operator' }
  await putInForce(ctx, { kind: 'approvals', document })
  const passkey = softPasskey(placeOf(exchange))
  await fillPeople(exchange, passkey)
  const [{ orders, prepared, customer }, unpaid] = await Promise.all([
    fillOrders(exchange),
    fillSuspense(exchange),
    fillEndpoints(exchange),
  ])
  const holder = await fillTreasury(exchange, passkey)
  await Promise.all([fillPolicies(exchange), fillBank(exchange), fillAddresses(exchange)])
  await planAgain(exchange, orders.at(-1) ?? '')
  const order = { operator: holder.operator, reason: why.reason, sign: holder.sign }
  await endPayout(ctx, await planAgain(exchange, prepared.ending), order)
  await confirmPayout(ctx, await planAgain(exchange, prepared.confirming), order)
  const { partner_id: partner, second_partner: second } = exchange.sandbox
  return {
    exchange,
    passkey,
    unpaid,
    places: {
      '/console/orders/:id': orders.map((id) => `/console/orders/${id}`),
      '/console/customers/:id': [`/console/customers/${customer}`],
      '/console/partners/:id': [partner, second.partner_id].map((id) => `/console/partners/${id}`),
      '/console/prices/:kind': ['/console/prices/fees', '/console/prices/deadlines'],
      '/portal/orders/:id': [`/portal/orders/${orders[0]}`],
    },
  }
}

/** An administrator with a passkey, as the service demands it of all who approve; others who left, were invited, or wait. */
async function fillPeople({ service, sandbox }: Exchange, passkey: SoftPasskey): Promise<void> {
  const { ctx } = service.composition
  const admin = (await listOperators(ctx)).find(({ email }) => email === sandbox.operator.email)
  if (!admin) throw new Error('The sandbox has no operator.')
  ctx.config.environment = { ...ctx.config.environment, operatorKeys: true }
  await addKey(ctx, admin, passkey.key, { at: 'machine', actor: 'test' })
  await keyHolder(ctx)
  const people = ['leaver', 'goer'].map((name) => ({ email: `${name}@example.com`, password, role: 'viewer' }))
  for (const one of people) await createOperator(ctx, one, 'test')
  await disableOperator(ctx, 'leaver@example.com', 'test')
  await createToken(ctx, 'goer@example.com', 'test')
  await inviteOperator(ctx, { email: 'guest@example.com', role: 'viewer', name: 'Guest' }, operatorSubject(admin))
  const partnerId = BigInt(sandbox.partner_id)
  await setPartner(ctx, partnerId, { b2b_approval: 'on' }, 'test')
  await createPortalUser(ctx, { partnerId, email: 'member@one.example', role: 'member', password }, 'test')
}

/** Orders in many states, and two whose payments one operator wants to end, or says are paid. */
type Orders = { orders: string[]; prepared: { ending: string; confirming: string }; customer: string }

/** Orders that are unpaid, paid and on hold, waiting for approval, with a refund that failed, and finished. */
async function fillOrders(exchange: Exchange): Promise<Orders> {
  const { ctx } = exchange.service.composition
  const onHold = async (): Promise<string> => {
    const { id } = await readyToPay(exchange, { from_amount: '200' })
    await holdTransaction(ctx, BigInt(id), why)
    await pay(exchange, id)
    await seen(exchange, id, 'the money', ({ from_amount: came }) => came === '200')
    return id
  }
  const unpaid = await readyToPay(exchange)
  const failed = await failedRefund(exchange)
  const paid = await onHold()
  const [waiting, further] = [await waitingPayout(exchange), await waitingPayout(exchange)]
  const [finished, stuck] = [await buy(exchange), await buy(exchange)]
  const prepared = { ending: (await buy(exchange)).id, confirming: (await buy(exchange)).id }
  const orders = [unpaid.id, paid, failed, waiting.id, further.id, finished.id, stuck.id]
  return { orders, prepared, customer: finished.customer_id ?? '' }
}

/** An order whose refund the bank says plainly that it will never carry out. */
async function failedRefund(exchange: Exchange): Promise<string> {
  const { ctx } = exchange.service.composition
  const rail = ctx.rails.payout('sandbox-bank')?.payout
  if (!rail) throw new Error('The sandbox has no bank.')
  const { submit, look } = rail
  const { id } = await readyToPay(exchange, transfer)
  await pay(exchange, id, { amount: '60' })
  await arrive(exchange, id, 'on_hold')
  Object.assign(rail, { submit: () => Promise.resolve(), look: () => Promise.resolve({ state: 'never' }) })
  await refundTransaction(ctx, BigInt(id), why)
  await seen(exchange, id, 'the refusal', ({ refunds }) => refunds[0]?.status === 'failed')
  Object.assign(rail, { submit, look })
  return id
}

/** Money without an order, some of it worth less than sending it back. Gives an order that one of the payments is meant for. */
async function fillSuspense(exchange: Exchange): Promise<string> {
  const { ctx } = exchange.service.composition
  const { id } = await readyToPay(exchange, transfer)
  for (const reference of ['rent for May', 'rent for June', 'rent for July'])
    await strayDeposit(exchange, () => pay(exchange, id, { reference }))
  const coins = await readyToPay(exchange, { from_amount: '200', from_currency: 'XRP', to_currency: 'EUR' })
  const who = { partnerId: BigInt(exchange.sandbox.partner_id), publicId: BigInt(coins.id) }
  const deposit = { amount: '0.001', reference: '4294967295' }
  await strayDeposit(exchange, () => payDeposit(ctx, exchange.world, { ...who, deposit }))
  return id
}

/** Endpoints at which nobody listens, with an attempt; one is paused. */
async function fillEndpoints(exchange: Exchange): Promise<void> {
  const url = 'http://127.0.0.1:9/hook'
  for (const path of ['', '/two', '/three']) await exchange.api('/v1/webhook-endpoints', { body: { url: url + path } })
  const tried = `select 1 from webhook_attempts limit 1`
  await until(async () => (await lookup(exchange, tried)).length > 0, 'an attempt')
  await lookup(exchange, `update webhook_endpoints set status = 'paused' where url like '%/three'`)
}

const hedge = (id: number, pair: string, state: string): string => `
  insert into hedges (id, venue, client_order_id, pair, side, base, quote, amount, limit_price, worth, state, reason,
    proposed_by, proposed_at, sent_at)
  values (${id}, 'kraken', 'h-${id}', '${pair}/EUR', 'buy', '${pair}-${pair}', 'EUR-EUR', 250000, '90', 22500, '${state}', 'a test',
    'system', now() - interval '20 min', now() - interval '20 min')`

/** Hedges and transfers in each state that somebody can change, and a difference between a statement and the books. */
async function fillTreasury(exchange: Exchange, passkey: SoftPasskey): Promise<KeyHolder> {
  const { ctx } = exchange.service.composition
  ctx.config.hedging = {
    isAutomatic: false,
    venue: 'kraken',
    pairs: [{ base: 'BTC', quote: 'EUR' }],
    assets: {},
    everyMs: 3_600_000,
    slippageBasisPoints: 50,
    expiresAfterMs: 900_000,
    bounds: { BTC: { target: '0', minimum: '0.0005', lot: '0.0001' } },
    capPerOrder: 10_000_000n,
    capPerDay: 1_000_000_000n,
  }
  await ctx.db.atomic(async (db) => {
    const what = { transactionId: null, kind: 'capital', ref: await ctx.rowIds.next(), at: ctx.clock.now() } as const
    const lines = [
      { debit: held('kraken'), credit: capital, asset: 'EUR-EUR', amount: 10_000_000_00n },
      { debit: held('kraken'), credit: capital, asset: 'BTC-BTC', amount: 10_00000000n },
    ]
    return post(db, ctx, [entry(what, lines)])
  })
  await lookup(
    exchange,
    [hedge(1, 'ETH', 'proposed'), hedge(2, 'LTC', 'proposed'), hedge(3, 'XRP', 'unknown')].join(';'),
  )
  const cold = (coin: string, network = coin) => ({
    name: `cold-${coin}`,
    account: `cold-${coin}`.toLowerCase(),
    asset: `${coin}-${network}`,
    address: 'x',
  })
  ctx.config.rebalancing = {
    destinations: ['BTC', 'ETH', 'LTC', 'XRP'].map((coin) => cold(coin)),
    levels: [],
  }
  const wish = (coin: string) => ({
    source: `wallet-${coin.toLowerCase()}`,
    destination: `cold-${coin}`,
    asset: `${coin}-${coin}`,
    amount: '1',
    reason: 'a test',
  })
  await proposeRebalance(ctx, wish('LTC'), 'test')
  const approved = await proposeRebalance(ctx, wish('XRP'), 'test')
  const admin = (await listOperators(ctx)).find(({ email }) => email === exchange.sandbox.operator.email)
  if (!admin) throw new Error('The sandbox has no operator.')
  const sign = (hash: Buffer) =>
    signOfBrowser(passkey.answer(JSON.stringify({ challenge: hash.toString('base64url') })))?.(hash)
  const holder = await keyHolder(ctx, { operator: admin, sign: sign as never, id: 0n, state: 'trusted' })
  await approveRebalance(ctx, approved, admin, sign as never)
  await approveRebalance(ctx, approved, holder.operator, holder.sign)
  await lookup(
    exchange,
    `insert into breaks (id, account, asset, kind, key, amount, cause, owner, found_at, confirmed_at)
     values (1, 'wallet-trx', 'USDT-TRX', 'balance', '', -5000000, 'missing', 'operations', now(), now())`,
  )
  return holder
}

/** A file of a bank that was refused, and a statement that did not come. */
async function fillBank(exchange: Exchange): Promise<void> {
  await lookup(
    exchange,
    `insert into iso20022_rails (rail) values ('bank-1');
     insert into iso20022_files (rail, name, checksum, state, reason, received_at)
       values ('bank-1', 'a.xml', 'x', 'refused', 'The file is too large.', now()), ('bank-1', 'b.xml', 'y', 'taken', null, now());
     insert into iso20022_bookings (id, rail, account, asset, direction, amount, state, was_pending, kind, reference, remainder, booked_on, file_id, reported_at)
       select 4711, 'bank-1', 'DE02120300000000202051', 'EUR-EUR', 'in', 5000, 'booked', false, 'deposit', '', 5000, '2026-11-02', max(id), now()
       from iso20022_files;
     insert into breaks (id, account, asset, kind, key, amount, cause, owner, found_at, confirmed_at)
       values (2, 'bank-1', 'EUR-EUR', 'statement', 'booking bk_4711', -5000, 'missing', 'finance', now(), now());
     insert into iso20022_parts (file_id, position, account, entries, state, cause)
       select id, 0, 'DE75512108001245126199', 0, 'refused', 'not_ours' from iso20022_files where name = 'b.xml';
     insert into iso20022_statements (rail, account, asset, identification, number, page, closing_on, opening, closing, file_id)
       select 'bank-1', 'DE02120300000000202051', 'EUR-EUR', number::text, number, 1, date '2025-12-29' + number, 0, 0, id
       from iso20022_files, (values (40), (43)) as came (number) where state = 'taken';
     update iso20022_statements set previous_id = (select id from iso20022_statements where number = 40) where number = 43;
     insert into breaks (id, account, asset, kind, key, amount, cause, owner, found_at, confirmed_at)
       values (3, 'bank-1', 'EUR-EUR', 'statement', 'statement DE02120300000000202051 41-42', 0, 'lost_statement', 'finance', now(), now());
     insert into iso20022_ignored_accounts (rail, account, reason, actor, at)
       values ('bank-1', '22222222', 'It is of our sister company.', 'cli:test', now())`,
  )
}

/** Payout addresses of the partner that wait for approval. */
async function fillAddresses(exchange: Exchange): Promise<void> {
  const { addWallet } = callsOf(exchange)
  for (const name of ['one', 'two', 'three']) await made(addWallet(wallet(name)))
}

/** Makes the payout of an order one that is prepared, and that its chain excludes. */
async function planAgain({ service, ownerUrl }: Exchange, order: string): Promise<bigint> {
  for (const { payout } of service.composition.ctx.rails.all)
    if (payout)
      Object.assign(payout, {
        end: () => Promise.resolve(),
        differenceWith: () => Promise.resolve({ payment: 'bk_1', amount: 1n, obstacle: undefined, alike: [] }),
        bookPaid: () => Promise.resolve(),
      })
  const [planned] = await lookup<{ id: string }>(
    { ownerUrl },
    `with again as (
       update payouts set state = 'planned' from transactions
       where transactions.id = transaction_id and public_id = ${order} and state = 'paid' returning payouts.id, plan_id)
     update plans set state = 'planned', ended_at = null from again where plans.id = plan_id returning again.id`,
  )
  return BigInt(planned?.id ?? 0)
}

/** Two proposals of somebody else. */
async function fillPolicies({ service }: Exchange): Promise<void> {
  const { ctx } = service.composition
  const { id } = await someone(ctx)
  for (const days of [40, 50]) {
    const effectiveAt = new Date(ctx.clock.now().getTime() + days * 86_400_000)
    const input = { kind: 'fees', document: feesDocument(), reason: 'a test', days: 1, effectiveAt } as const
    await propose(ctx, input, { actor: operatorSubject({ id }) })
  }
}

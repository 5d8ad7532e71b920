import { randomBytes } from 'node:crypto'

import { listings } from '../reference/catalog/asset.ts'
import { fiatCurrencies } from '../reference/catalog/currency.ts'
import { networks } from '../reference/catalog/network.ts'
import { nativeAsset } from '../reference/catalog/sync-assets.ts'
import type { Ctx } from '../exchange/context.ts'
import type { Db } from '../platform/db/sql.ts'
import { Refusal } from '../platform/lib/refusal.ts'
import { capital, held } from '../exchange/ledger/account.ts'
import { heldBalances } from '../exchange/ledger/balance.ts'
import { type Entry, entry } from '../exchange/ledger/entry.ts'
import { post } from '../exchange/ledger/post.ts'
import { parseAmount, type Asset } from '../platform/money/amount.ts'
import { rateBetween } from '../exchange/pricing/rate.ts'
import { createPortalUser } from '../exchange/partners/portal-users.ts'
import { createOperator } from '../exchange/operators/operator.ts'
import { createPartner } from '../exchange/partners/create.ts'
import { createKey, revokeKey } from '../exchange/partners/keys.ts'
import { findPartners } from '../exchange/partners/known.ts'
import { featureNames } from '../exchange/partners/settings.ts'
import { bankName } from './bank/messages.ts'
import { fundBank, fundWallet } from './rails.ts'
import { keepSeeds, readSeeds, type Seeds } from './sandbox-file.ts'

const seededBy = 'sandbox'

/** Finds what a real wallet held of an asset before its first deposit was reported; undefined for networks that are played. */
export type OpeningBalance = (network: string) => ((asset: string) => Promise<bigint>) | undefined

/**
 * Makes the sandbox's wallets, demo partners and operator, once; later starts find what the first one wrote. Their secrets are on disk
 * before anything else happens, in a file of their own as long as nobody knows where the sandbox will answer.
 */
export async function seedSandbox(ctx: Ctx, dataDir: string, openingBalance: OpeningBalance): Promise<Seeds> {
  await fundWallets(ctx, openingBalance)
  const known = await readSeeds(dataDir)
  if (known && (await findPartners(ctx, [BigInt(known.partner_id)])).size > 0) return known
  const made = await makePartners(ctx)
  await keepSeeds(dataDir, made)
  return made
}

/** What the sandbox pays out of, in euro, of each currency. */
const firstWorth = 1_000_000_000n

/** A place of the exchange's own, what it holds at first, and how its holder is given that; a real chain gives nothing. */
type Purse = {
  place: string
  asset: Asset
  first: (ctx: Ctx) => bigint | Promise<bigint>
  give: (db: Db, amount: bigint) => Promise<boolean>
}

/**
 * Gives each wallet and the bank their first money and books it as capital, in one block: all of it, or nothing. What the books
 * know already had its first money at an earlier start.
 */
async function fundWallets(ctx: Ctx, openingBalance: OpeningBalance): Promise<void> {
  const known = await heldBalances(ctx.db)
  const purses = [...walletsOf(ctx, openingBalance), ...accountsOf(ctx)].filter(
    ({ place, asset }) => !known.has(`${held(place)} ${asset.id}`),
  )
  if (purses.length === 0) return
  const amounts = new Map<Purse, bigint>()
  for (const purse of purses) amounts.set(purse, await purse.first(ctx))
  await ctx.db.atomic(async (db) => {
    const entries: Entry[] = []
    for (const [{ place, asset, give }, amount] of amounts) {
      if (!(await give(db, amount))) continue
      const brought = {
        transactionId: null,
        kind: 'capital',
        ref: await ctx.rowIds.next(),
        at: ctx.clock.now(),
      } as const
      entries.push(entry(brought, [{ debit: held(place), credit: capital, asset: asset.id, amount }]))
    }
    await post(db, ctx, entries)
  })
}

/** A wallet for each coin of each chain, and for what the chain takes for transfers. */
const walletsOf = (ctx: Ctx, openingBalance: OpeningBalance): Purse[] =>
  networks.flatMap((network) => {
    const rail = ctx.rails.forPayout('CRYPTO', network.code)
    const own = listings.filter((listing) => listing.network.code === network.code).map(({ asset }) => asset)
    const assets = new Map([nativeAsset(network), ...own].map((asset) => [asset.id, asset]))
    if (!rail) return []
    const opening = openingBalance(network.code)
    return [...assets.values()].map((asset) => ({
      place: rail.custodyAccount,
      asset,
      first: (all: Ctx) => opening?.(asset.id) ?? firstAmount(all, asset),
      give: async (db: Db, amount: bigint) => (opening ? amount > 0n : fundWallet(db, network, asset.id, amount)),
    }))
  })

/** An account at the sandbox's bank for each fiat currency that it pays: what a configured bank holds is not ours to give. */
const accountsOf = (ctx: Ctx): Purse[] =>
  fiatCurrencies.flatMap(({ ticker, networks: [{ asset, paymentMethods }] }) => {
    const payers = paymentMethods.flatMap(({ category }) => ctx.rails.forPayout(category, ticker) ?? [])
    const payer = payers.find(({ name }) => name === bankName)
    if (!payer) return []
    const give = (db: Db, amount: bigint) => fundBank(db, asset.id, amount)
    return [{ place: payer.custodyAccount, asset, first: (all: Ctx) => firstAmount(all, asset), give }]
  })

/** As many whole units, rounded up to a power of ten, as are worth what each wallet begins with. */
function firstAmount({ market, clock }: Ctx, asset: Asset): bigint {
  const moment = { market, now: clock.now(), maxPriceAgeSeconds: Infinity }
  const rate = rateBetween(moment, market.reference, asset.ticker)
  const whole = rate ? (firstWorth * rate.price.numerator) / rate.price.denominator : firstWorth
  return parseAmount(`1${'0'.repeat(whole.toString().length)}`, asset)
}

async function makePartners(ctx: Ctx): Promise<Seeds> {
  const features = Object.fromEntries(featureNames.map((feature) => [feature, true]))
  const first = await createPartner(ctx, { name: 'Demo Wallet', features }, seededBy)
  const second = await createPartner(ctx, { name: 'Demo Shop' }, seededBy)

  const revoked = await createKey(
    ctx,
    { partnerId: first.partner.id, kind: 'secret', label: 'revoked, for tests' },
    seededBy,
  )
  await revokeKey(ctx, revoked.key.id, seededBy)
  const operator = await makeOperator(ctx)
  const portal = await makePortalUser(ctx, first.partner.id)

  return {
    partner_id: String(first.partner.id),
    public_key: first.public_key,
    secret_key: first.secret_key,
    revoked_key: revoked.text,
    widget_secret: first.widget_secret,
    webhook_secret: first.webhook_secret,
    second_partner: {
      partner_id: String(second.partner.id),
      public_key: second.public_key,
      secret_key: second.secret_key,
    },
    operator,
    portal,
  }
}

async function makePortalUser(ctx: Ctx, partnerId: bigint): Promise<Seeds['portal']> {
  const password = randomBytes(12).toString('base64url')
  const email = `partner-${randomBytes(3).toString('hex')}@sandbox.invalid`
  await createPortalUser(ctx, { partnerId, email, password, role: 'admin' }, seededBy)
  return { email, password }
}

/** A first start that was cut short has made an operator whose password nobody knows: then there is a second one. */
async function makeOperator(ctx: Ctx): Promise<Seeds['operator']> {
  const password = randomBytes(12).toString('base64url')
  try {
    const { email } = await createOperator(ctx, { email: 'operator@sandbox.invalid', password }, seededBy)
    return { email, password }
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'CONFLICT') throw error
    const another = `operator-${randomBytes(3).toString('hex')}@sandbox.invalid`
    const { email } = await createOperator(ctx, { email: another, password }, seededBy)
    return { email, password }
  }
}

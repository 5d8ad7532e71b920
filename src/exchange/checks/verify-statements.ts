import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import { formatAmount } from '../../platform/money/amount.ts'
import { listings } from '../../reference/catalog/asset.ts'
import type { Ctx } from '../context.ts'
import { held, placeIn } from '../ledger/account.ts'
import type { Rail } from '../../rails/rail.ts'
import { heldBalances } from '../ledger/balance.ts'
import type { BreakRow } from '../reconciliation/breaks.sql.ts'
import { custodyAccounts } from '../reconciliation/account.ts'
import { explainedAt, unstatedBookings } from '../reconciliation/reconcile.ts'

/** A rail as a custodian of our money. */
type Keeper = Pick<Rail, 'name' | 'custodyAccount' | 'balance'>

/** Money of one asset that lies at one place, and by how much its keeper's statement differed when it was looked at last. */
type Holding = { keeper: Keeper; asset: string; difference?: bigint }

/** A holding that differs, and the sentence that says so. */
type Differing = { holding: Holding; sentence: string }

/** How often, and how many real milliseconds apart, a statement that differs is looked at before it counts as wrong. */
const looks = 10
const lookAgainMs = 300

/** Additional checks while due jobs are waiting: rail events may not be booked yet. */
const looksMore = 100

/**
 * The balance that a custodian states must match the ledger, but for what is on its way. Money moves on a live exchange, so only a
 * difference that stays the same for a while counts, and only if the statement's items do not explain it. A booking that a bank has
 * reported counts towards its balance, so one that its statement lacks is named by itself.
 */
export async function statementsThatDiffer(ctx: Ctx): Promise<string[]> {
  let suspects = await holdings(ctx)
  let problems: Differing[] = []
  let more = looksMore
  for (let look = 0; look < looks && suspects.length > 0; look += 1) {
    if (look > 0) await new Promise((resolve) => setTimeout(resolve, lookAgainMs))
    if (more > 0 && (await hasWork(ctx))) {
      more -= 1
      look -= 1
    }
    const differing = await differingOf(ctx, suspects)
    suspects = differing.map(({ holding }) => holding)
    problems = differing
  }
  return [...(await unexplained(ctx, problems)), ...(await unstatedBookings(ctx)).map(unstatedSentence)]
}

function unstatedSentence({
  account,
  key,
  asset,
  amount,
}: Pick<BreakRow, 'account' | 'key' | 'asset' | 'amount'>): string {
  const shown = shownIn(asset, amount < 0n ? -amount : amount)
  if (!key.startsWith('booking '))
    return `${account} has a ${key} with ${shown} ${amount < 0n ? 'less' : 'more'}, and nothing is booked of it.`
  return `${account} reported a ${key} of ${shown} ${amount < 0n ? 'in' : 'out'}, and the statement of its day does not have it.`
}

/** What is left once the items are known that are only on their way. */
async function unexplained(ctx: Ctx, problems: Differing[]): Promise<string[]> {
  const places = new Set(problems.map(({ holding }) => holding.keeper.custodyAccount))
  const left: string[] = []
  for (const account of custodyAccounts(ctx).filter(({ place }) => places.has(place))) {
    const explained = await explainedAt(ctx, account)
    for (const { holding, sentence } of problems) {
      const { keeper, asset, difference } = holding
      if (keeper.custodyAccount === account.place && explained?.get(asset) !== difference) left.push(sentence)
    }
  }
  return left
}

const hasWork = async ({ queue, clock }: Ctx): Promise<boolean> => (await queue.nextDue(clock.now())) !== undefined

/** Everything that may lie anywhere, and whatever the books say lies there, each place once. */
async function holdings({ db, rails }: Ctx): Promise<Holding[]> {
  const keepers = new Map<string, Keeper>()
  for (const rail of rails.all) keepers.set(rail.custodyAccount, rail)
  const found = new Map<string, Holding>()
  const add = (place: string | undefined, asset: string) => {
    const keeper = place === undefined ? undefined : keepers.get(place)
    if (keeper) found.set(`${keeper.custodyAccount} ${asset}`, { keeper, asset })
  }
  for (const { network, asset } of listings) {
    for (const { category, deposit, withdrawal } of network.paymentMethods) {
      const keepersOf = [
        ...(deposit ? rails.depositRails(category, network.code) : []),
        ...(withdrawal ? rails.payoutRails(category, network.code) : []),
      ]
      for (const { custodyAccount } of keepersOf) add(custodyAccount, asset.id)
    }
  }
  for (const name of (await heldBalances(db)).keys()) {
    const [account = '', asset = ''] = name.split(' ')
    add(placeIn(account), asset)
  }
  return [...found.values()]
}

/** An amount in whole units, with its currency; its network too, where there are several. */
function shownIn(id: string, amount: bigint): string {
  const asset = bookedAsset(id)
  if (!asset) return `${amount} of ${id}`
  const [ticker, network] = id.split('-')
  return `${formatAmount(amount, asset)} ${ticker === network ? ticker : id}`
}

async function differingOf({ db }: Ctx, suspects: Holding[]): Promise<Differing[]> {
  const before = await heldBalances(db)
  const stated = await Promise.all(suspects.map(({ keeper, asset }) => keeper.balance(asset)))
  const underWay = await db.sql<{ place: string }>`select distinct place from payouts where state = 'planned'`
  const busy = new Set(underWay.map(({ place }) => place))
  const now = await heldBalances(db)
  return suspects.flatMap((holding, index) => {
    const { keeper, asset } = holding
    const [was = 0n, is = 0n] = [before, now].map((balances) => balances.get(`${held(keeper.custodyAccount)} ${asset}`))
    const difference = (stated[index] ?? 0n) - is
    const isMoving = was !== is || difference !== (holding.difference ?? difference)
    if (difference === 0n || isMoving || busy.has(keeper.custodyAccount)) return []
    const shown = (amount: bigint): string => shownIn(asset, amount)
    const sentence = `${keeper.name} holds ${shown(stated[index] ?? 0n)}, the books say ${shown(is)}.`
    return [{ holding: { keeper, asset, difference }, sentence }]
  })
}

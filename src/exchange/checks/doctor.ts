import type { Ctx } from '../context.ts'
import { heldBalances } from '../ledger/balance.ts'
import { held } from '../ledger/account.ts'
import { checkMail, type MailCheckOptions } from '../mail/check-mail.ts'
import { listHedges } from '../treasury/hedges.sql.ts'
import { type UnplacedHedge, unplacedHedges } from '../treasury/unplaced-hedges.ts'
import { formatAmount, formatCents } from '../../platform/money/amount.ts'
import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import type { PairStatus } from '../../markets/status.ts'
import { isWorkerAlive } from '../../platform/jobs/heartbeat.ts'
import { readHalts } from '../../rails/halts.ts'
import { inTime } from '../../platform/lib/in-time.ts'
import type { Rail } from '../../rails/rail.ts'
import { type Check, type CheckState, checkBackups, checkDatabase } from './doctor-database.ts'
import * as queries from './doctor.sql.ts'
import { listNeeds } from '../needs/list-needs.ts'
import type { NeedKind } from '../needs/need.ts'
import { checkSigner } from './doctor-signer.ts'
import { statementsThatDiffer } from './verify-statements.ts'

const ok = (check: string, message: string): Check => ({ check, state: 'ok', message })
const warn = (check: string, message: string): Check => ({ check, state: 'warn', message })
const fail = (check: string, message: string): Check => ({ check, state: 'fail', message })

/** Everything that is looked at, in the order of the report. Each gives one or several checks. */
const looks: Record<string, (ctx: Ctx, options: MailCheckOptions) => Promise<Check[]>> = {
  database: checkDatabase,
  backups: checkBackups,
  company: (ctx) => Promise.resolve([checkCompany(ctx)]),
  mail: checkMail,
  prices: (ctx) => Promise.resolve(checkPrices(ctx)),
  rails: checkRails,
  signer: checkSigner,
  balances: checkBalances,
  webhooks: checkWebhooks,
  halts: checkHalts,
  hedges: checkHedges,
  stuck: checkNeeds,
  workers: checkWorkers,
  node: () => Promise.resolve([checkNode(process.versions.node)]),
}

/**
 * Looks at a configured exchange from all sides; with an address, sends it a test e-mail. Changes nothing else. A look that breaks is
 * a failed check. The exchange is fit for business if no check is `fail`.
 */
export async function examine(ctx: Ctx, options: MailCheckOptions = {}): Promise<Check[]> {
  const found = await Promise.all(
    Object.entries(looks).map(async ([name, look]) => {
      try {
        return await look(ctx, options)
      } catch (error) {
        return [fail(name, `This could not be checked: ${error instanceof Error ? error.message : 'unknown error'}`)]
      }
    }),
  )
  return found.flat()
}

/** The oldest Node that is still maintained. Node 20 has been past its end of life since April 30, 2026. */
const oldestNode = 22

/** The Node that a version number such as `24.1.0` names. */
export function checkNode(version: string): Check {
  const name = 'node version'
  if (Number.parseInt(version, 10) >= oldestNode) return ok(name, `Node ${version}.`)
  return warn(
    name,
    `Node ${version} is past its end of life. Install Node 24: the next major version of Cambio needs it.`,
  )
}

function checkCompany({ config }: Ctx): Check {
  if (config.company) return ok('company', `${config.company.name}, ${config.company.address}.`)
  const state: CheckState = config.environment.demandsSafeguards ? 'fail' : 'warn'
  return { check: 'company', state, message: 'CONFIG_FILE has no section company: customers cannot see who you are.' }
}

/** Without any open pair nothing can be ordered; where only some are closed, those are not offered. A source may fail alone. */
function checkPrices({ markets, clock }: Ctx): Check[] {
  const now = clock.now()
  const pairs = markets.pairs(now)
  const open = pairs.filter(({ state }) => state === 'open')
  const halted = pairs.flatMap(({ pair, state, why }) => (state === 'halted' ? [`${pair} (${why ?? 'halted'})`] : []))
  const counts = `${open.length} of ${pairs.length} pairs have a price.${halted.length > 0 ? ` Halted: ${halted.join(', ')}.` : ''}`
  const all = open.length === 0 ? fail : open.length < pairs.length ? warn : ok
  return [all('prices', counts), ...markets.sources(now).map((one) => checkSource(one, pairs))]
}

function checkSource({ name, isUp }: { name: string; isUp: boolean }, pairs: readonly PairStatus[]): Check {
  const own = pairs.flatMap(({ sources }) => sources.filter((one) => one.name === name && one.bid !== null))
  const age = Math.max(0, ...own.map(({ ageMs }) => ageMs ?? 0))
  const basisPoints = Math.round(Math.max(0, ...own.map(({ deviation }) => Math.abs(deviation ?? 0))) * 10_000)
  const message = `Prices: ${own.length}, up to ${age} ms old and ${basisPoints / 100}% from the price of all.`
  return isUp
    ? ok(`price source ${name}`, message)
    : warn(`price source ${name}`, `It gives no usable price. ${message}`)
}

async function checkRails(ctx: Ctx): Promise<Check[]> {
  const balances = [...(await heldBalances(ctx.db)).keys()]
  const [rails, nodes] = await Promise.all([
    Promise.all(ctx.rails.all.map((rail) => checkRail(ctx, rail, balances))),
    Promise.all(ctx.rails.all.map(checkNodes)),
  ])
  return [...rails, ...nodes.flat()]
}

/** How the nodes of a chain were when they were last asked. */
async function checkNodes({ name, nodes }: Rail): Promise<Check[]> {
  const seen = (await nodes?.()) ?? []
  if (seen.length === 0) return []
  const bad = seen.filter(({ state }) => state !== 'ok')
  if (bad.length === 0) return [ok(`node_${name}`, `Nodes that answer and agree: ${seen.length}.`)]
  const sentences = bad.map(({ url, state, since }) => `${url}: ${state} since ${since?.toISOString() ?? 'the start'}.`)
  return [fail(`node_${name}`, sentences.join(' '))]
}

/** Asks a rail whether it can be used; one that cannot say so, for the balance of something that it holds. */
async function checkRail({ config }: Ctx, rail: Rail, balances: readonly string[]): Promise<Check> {
  const name = `rail ${rail.name}`
  const asset = balances.map((one) => one.split(' ')).find(([account]) => account === held(rail.custodyAccount))?.[1]
  try {
    const { ok: isOk, message } = await inTime(config.outsideTimeoutMs, answerOf(rail, asset))
    return isOk ? ok(name, message) : fail(name, message)
  } catch (error) {
    return fail(name, `It does not answer: ${error instanceof Error ? error.message : 'unknown error'}`)
  }
}

async function answerOf(rail: Rail, asset: string | undefined): Promise<{ ok: boolean; message: string }> {
  if (rail.check) return rail.check()
  if (asset === undefined) return { ok: true, message: 'Not asked: the books have nothing there.' }
  await rail.balance(asset)
  return { ok: true, message: 'It answers.' }
}

async function checkBalances(ctx: Ctx): Promise<Check[]> {
  const differing = await statementsThatDiffer(ctx)
  if (differing.length === 0) return [ok('balances', 'The books agree with every rail.')]
  return differing.map((sentence) => fail('balances', sentence))
}

async function checkWebhooks({ db, clock }: Ctx): Promise<Check[]> {
  const { attempts, delivered, failing, disabled } = await queries.webhooks(db, clock.now())
  if (attempts > 0 && delivered === 0) {
    return [
      fail('webhooks', `None of ${attempts} deliveries of the last hour arrived: is the network open to the outside?`),
    ]
  }
  const recent = `Delivered in the last hour: ${delivered} of ${attempts}.`
  const broken = failing + disabled
  return [
    broken > 0 ? warn('webhooks', `${recent} Endpoints that fail or are disabled: ${broken}.`) : ok('webhooks', recent),
  ]
}

async function checkHalts({ db }: Ctx): Promise<Check[]> {
  const halts = await readHalts(db)
  if (halts.length === 0) return [ok('halts', 'Nothing is halted.')]
  return halts.map(({ scope, name, since, reason }) =>
    fail(`halt ${[scope, name].filter(Boolean).join(' ')}`, `Since ${since.toISOString()}: ${reason}`),
  )
}

/** A hedge that may or may not have traded leaves a position that nobody chose. */
async function checkHedges(ctx: Ctx): Promise<Check[]> {
  const unknown = (await listHedges(ctx.db, { open: true, limit: 1_000 })).filter(({ state }) => state === 'unknown')
  const unplaced = (await unplacedHedges(ctx)).map(({ pair, cause, about, asset, amount, cents }) => {
    const worth = cents === undefined ? '' : `, worth ${formatCents(cents)} EUR,`
    const exposed = `${shownAmount(asset, amount)}${worth} are exposed and cannot be hedged`
    return fail(`hedge of ${pair}`, `${exposed}: ${whyUnplaced[cause]} ${about}`)
  })
  if (unplaced.length > 0) return [...unplaced, ...unknown.map(unknownHedge)]
  if (unknown.length === 0) return [ok('hedges', 'The outcome of every hedge that was sent is known.')]
  return unknown.map(unknownHedge)
}

const unknownHedge = ({ id, venue, pair }: { id: bigint; venue: string; pair: string }): Check =>
  fail(`hedge ${id}`, `${venue} does not show the order for ${pair}, so the pair is not hedged. See: cambio hedge list`)

const whyUnplaced: Readonly<Record<UnplacedHedge['cause'], string>> = {
  refused: 'the venue refuses it:',
  unknown: 'an order of ours may have traded or not at',
  unfilled: 'nobody trades at our price at',
  short: 'there is too little money at',
  capped: 'the caps of CONFIG_FILE allow no more at',
  unpriced: 'there is no price that is young enough for',
}

function shownAmount(id: string, amount: bigint): string {
  const asset = bookedAsset(id)
  return asset ? `${formatAmount(amount, asset)} ${asset.ticker}` : `${amount} of ${id}`
}

/** What this report looks at itself. */
const ownChecks: ReadonlySet<NeedKind> = new Set(['rail', 'restored', 'hedge', 'market', 'endpoint', 'backup'])

async function checkNeeds(ctx: Ctx): Promise<Check[]> {
  const needs = (await listNeeds(ctx)).filter(({ kind, urgency }) => !ownChecks.has(kind) && urgency !== 'later')
  const jobs = needs.filter(({ kind, cause }) => kind === 'job' && cause === 'failed').length
  const others = needs.length - jobs
  return [
    jobs === 0
      ? ok('jobs', 'No job has failed.')
      : fail('jobs', `Jobs that failed and are retried: ${jobs}. See: cambio stuck`),
    others === 0 ? ok('stuck', 'Nothing is stuck.') : warn('stuck', `Needs a person: ${others}. See: cambio stuck`),
  ]
}

async function checkWorkers(ctx: Ctx): Promise<Check[]> {
  if (await isWorkerAlive(ctx)) return [ok('workers', 'A worker is running.')]
  return [warn('workers', 'No worker is running. Start one: cambio serve')]
}

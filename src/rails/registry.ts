import { createHash } from 'node:crypto'

import { openHealth, type RailHealthBook } from './health.ts'
import type { DepositRail, Direction, PayoutRail, Rail } from './rail.ts'

/** The rails of this exchange. What no rail serves is not available. */
export type RailRegistry = {
  readonly all: readonly Rail[]
  named(name: string): Rail | undefined
  /** The rail of that name, if it takes deposits. */
  deposit(name: string): DepositRail | undefined
  /** The rail of that name, if it makes payouts. */
  payout(name: string): PayoutRail | undefined
  /** The rail that takes deposits of a payment category on a network. */
  forDeposit(category: string, network: string): DepositRail | undefined
  /** The rail that pays out in a payment category on a network. */
  forPayout(category: string, network: string): PayoutRail | undefined
  /** All rails that may take new deposits of a category on a network, the preferred one first. */
  depositRails(category: string, network: string): readonly DepositRail[]
  payoutRails(category: string, network: string): readonly PayoutRail[]
  /** What this process has seen of the rails. */
  readonly health: RailHealthBook
}

/** The registry's part that says what is available. */
export type ServedRails = Pick<RailRegistry, 'forDeposit' | 'forPayout' | 'depositRails' | 'payoutRails'>

/** The same without rails of some names: what only they serve is not available. */
export function withoutRails({ depositRails, payoutRails }: ServedRails, names: ReadonlySet<string>): ServedRails {
  const others = <Found extends Rail>(all: readonly Found[]): readonly Found[] =>
    all.filter(({ name }) => !names.has(name))
  return {
    forDeposit: (category, network) => others(depositRails(category, network))[0],
    forPayout: (category, network) => others(payoutRails(category, network))[0],
    depositRails: (category, network) => others(depositRails(category, network)),
    payoutRails: (category, network) => others(payoutRails(category, network)),
  }
}

/**
 * The rail that takes a new payment, of those that may: of the usable ones with the lowest priority number, by weight, the same each
 * time for one id. If none is usable, the preferred one is tried all the same.
 */
export function chooseRail<Found extends Rail>(
  rails: readonly Found[],
  id: bigint,
  isUsable: (rail: Rail) => boolean,
): Found | undefined {
  const usable = rails.filter(isUsable)
  const [first = rails[0]] = usable
  const equals = usable.filter((rail) => priorityOf(rail) === (first && priorityOf(first)))
  const total = equals.reduce((sum, rail) => sum + weightOf(rail), 0)
  if (equals.length < 2 || total === 0) return first
  const digest = createHash('sha256').update(String(id)).digest()
  let left = digest.readUInt32BE() % total
  return equals.find((rail) => (left -= weightOf(rail)) < 0)
}

const priorityOf = ({ preference }: Rail): number => preference?.priority ?? 1
const weightOf = ({ preference }: Rail): number => preference?.weight ?? 1

const nameForm = /^[a-z0-9][a-z0-9-]{0,62}$/

/**
 * Makes the registry of a list of rails. Where several serve the same, the first in the list is used; the others still finish what
 * was begun on them. Rails with a preference share new payments: the others are left out where one of them comes first. Refuses names that are taken or do not fit a path, and a service in a direction that the rail lacks.
 */
export function openRegistry(rails: readonly Rail[], health = openHealth()): RailRegistry {
  const byName = new Map<string, Rail>()
  for (const rail of rails) {
    if (!nameForm.test(rail.name)) throw new Error(`"${rail.name}" is not a name for a rail: use a-z, 0-9 and hyphens.`)
    if (byName.has(rail.name)) throw new Error(`Two rails have the name ${rail.name}.`)
    for (const direction of rail.serves.flatMap(({ directions }) => directions)) {
      if (!rail[direction]) throw new Error(`The rail ${rail.name} serves a ${direction} but has no ${direction} half.`)
    }
    byName.set(rail.name, rail)
  }
  const deposits = new Map(rails.filter(isDepositRail).map((rail) => [rail.name, rail]))
  const payouts = new Map(rails.filter(isPayoutRail).map((rail) => [rail.name, rail]))
  const depositRails = served([...deposits.values()], 'deposit')
  const payoutRails = served([...payouts.values()], 'payout')
  return {
    all: [...rails],
    health,
    named: (name) => byName.get(name),
    deposit: (name) => deposits.get(name),
    payout: (name) => payouts.get(name),
    forDeposit: (category, network) => depositRails(category, network)[0],
    forPayout: (category, network) => payoutRails(category, network)[0],
    depositRails,
    payoutRails,
  }
}

const isDepositRail = (rail: Rail): rail is DepositRail => rail.deposit !== undefined
const isPayoutRail = (rail: Rail): rail is PayoutRail => rail.payout !== undefined

/** Finds the rails that share a category on a network. Every estimate asks, so what was found is remembered. */
function served<Found extends Rail>(
  rails: readonly Found[],
  direction: Direction,
): (category: string, network: string) => readonly Found[] {
  const known = new Map<string, Map<string, readonly Found[]>>()
  return (category, network) => {
    let byNetwork = known.get(category)
    if (!byNetwork) known.set(category, (byNetwork = new Map<string, readonly Found[]>()))
    let found = byNetwork.get(network)
    if (!found) {
      found = sharing(rails.filter((rail) => serves(rail, direction, category, network)))
      byNetwork.set(network, found)
    }
    return found
  }
}

/** The rails that share new payments: the first alone, unless it has a preference. */
function sharing<Found extends Rail>(rails: readonly Found[]): readonly Found[] {
  if (rails[0]?.preference === undefined) return rails.slice(0, 1)
  return rails
    .filter(({ preference }) => preference !== undefined)
    .toSorted((one, other) => priorityOf(one) - priorityOf(other))
}

const serves = (rail: Rail, direction: Direction, category: string, network: string): boolean =>
  rail.serves.some(
    ({ directions, categories, networks }) =>
      directions.includes(direction) &&
      categories.includes(category) &&
      (networks === 'any' || networks.includes(network)),
  )

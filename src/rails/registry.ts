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
}

/** The registry's part that says what is available. */
export type ServedRails = Pick<RailRegistry, 'forDeposit' | 'forPayout'>

/** The same without rails of some names: what only they serve is not available. */
export const withoutRails = ({ forDeposit, forPayout }: ServedRails, names: ReadonlySet<string>): ServedRails => ({
  forDeposit: (category, network) => unlessIn(names, forDeposit(category, network)),
  forPayout: (category, network) => unlessIn(names, forPayout(category, network)),
})

const unlessIn = <Found extends Rail>(names: ReadonlySet<string>, rail: Found | undefined): Found | undefined =>
  rail && names.has(rail.name) ? undefined : rail

const nameForm = /^[a-z0-9][a-z0-9-]{0,62}$/

/**
 * Makes the registry of a list of rails. Where several serve the same, the first in the list is used; the others still finish what
 * was begun on them. Refuses names that are taken or do not fit a path, and a service in a direction that the rail lacks.
 */
export function openRegistry(rails: readonly Rail[]): RailRegistry {
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
  return {
    all: [...rails],
    named: (name) => byName.get(name),
    deposit: (name) => deposits.get(name),
    payout: (name) => payouts.get(name),
    forDeposit: served([...deposits.values()], 'deposit'),
    forPayout: served([...payouts.values()], 'payout'),
  }
}

const isDepositRail = (rail: Rail): rail is DepositRail => rail.deposit !== undefined
const isPayoutRail = (rail: Rail): rail is PayoutRail => rail.payout !== undefined

/** Finds the first rail that serves a category on a network. Every estimate asks, so what was found is remembered. */
function served<Found extends Rail>(
  rails: readonly Found[],
  direction: Direction,
): (category: string, network: string) => Found | undefined {
  const known = new Map<string, Map<string, Found | undefined>>()
  return (category, network) => {
    let byNetwork = known.get(category)
    if (!byNetwork) known.set(category, (byNetwork = new Map<string, Found | undefined>()))
    if (!byNetwork.has(network)) {
      byNetwork.set(
        network,
        rails.find((rail) => serves(rail, direction, category, network)),
      )
    }
    return byNetwork.get(network)
  }
}

const serves = (rail: Rail, direction: Direction, category: string, network: string): boolean =>
  rail.serves.some(
    ({ directions, categories, networks }) =>
      directions.includes(direction) &&
      categories.includes(category) &&
      (networks === 'any' || networks.includes(network)),
  )

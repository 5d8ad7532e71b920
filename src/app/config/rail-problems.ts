import type { CheckPlace, Placed, RailEntry, RailKind, SettingProblem } from '../../rails/kind.ts'
import { railKinds } from '../../rails/kinds.ts'

/** What keeps the rails of a file from being opened, as far as the file and this machine say it. */
export function railProblems(
  { rails = [], custody }: { rails?: readonly RailEntry[]; custody?: { signer?: object } },
  place: Omit<CheckPlace, 'hasSigner'>,
): SettingProblem[] {
  const hasSigner = custody?.signer !== undefined
  const placed = rails.map((entry, at) => ({ path: `rails[${at}]`, entry }))
  return [
    ...placed.flatMap(({ path, entry }) =>
      (kindOf(entry)?.problems?.(entry, { ...place, hasSigner }) ?? []).map((one) => ({
        ...one,
        path: `${path}.${one.path}`,
      })),
    ),
    ...railKinds.flatMap(
      (one) =>
        one.shared?.(
          placed.filter(({ entry }) => kindOf(entry) === one),
          place.folder,
        ) ?? [],
    ),
    ...sameChain(placed),
  ]
}

const kindOf = (entry: RailEntry): RailKind | undefined => railKinds.find(({ kind }) => kind === entry.kind)

/** A chain has one rail. */
function sameChain(placed: readonly Placed<RailEntry>[]): SettingProblem[] {
  const chains = placed.map(({ entry }) => kindOf(entry)?.chainOf?.(entry))
  return placed.flatMap(({ path }, at) => {
    const first = chains.indexOf(chains[at])
    return chains[at] !== undefined && first < at ? [{ path, message: `is for the same chain as rails[${first}]` }] : []
  })
}

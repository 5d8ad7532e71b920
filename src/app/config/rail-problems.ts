import { resolve } from 'node:path'

import { checkAddress } from '../../reference/addresses/address.ts'
import {
  type BankPlace,
  bankProblems,
  type SettingProblem,
  sharedSettings,
} from '../../rails/iso20022/check-settings.ts'
import type { BankEntry } from '../../rails/iso20022/settings.ts'
import { type HyperswitchEntry, servesProblem } from '../../rails/hyperswitch/settings.ts'
import { keystoreProblem } from '../../rails/keys/keystore.ts'

/** An entry of any kind that fits its schema. */
type Entry = Readonly<Record<string, unknown>> & { kind: string; keys?: { file: string } }

/** One rail, and where in the file it is. */
type Placed = { path: string; entry: Entry }

type Place = BankPlace & { withKeystores: boolean }

/** What keeps the rails of a file from being opened, as far as the file and this machine say it. */
export function railProblems(
  { rails = [], custody }: { rails?: readonly Entry[]; custody?: { signer?: object } },
  place: Place,
): SettingProblem[] {
  const placed = rails.map((entry, at): Placed => ({ path: `rails[${at}]`, entry }))
  const banks = placed.flatMap(({ path, entry }) =>
    entry.kind === 'iso20022' ? [{ path, entry: entry as unknown as BankEntry }] : [],
  )
  return [
    ...placed.flatMap(({ path, entry }) =>
      ownProblems(entry, place, custody?.signer !== undefined).map((one) => ({ ...one, path: `${path}.${one.path}` })),
    ),
    ...sharedSettings(banks, place.folder),
    ...sameChain(placed),
  ]
}

function ownProblems(entry: Entry, place: Place, hasSigner: boolean): SettingProblem[] {
  const { kind, account, keys } = entry
  const problem = (path: string, message: string | undefined) => (message === undefined ? [] : [{ path, message }])
  if (kind === 'iso20022') return bankProblems(entry as unknown as BankEntry, place)
  if (kind === 'hyperswitch') return problem('serves', servesProblem(entry as unknown as HyperswitchEntry))
  const isOther = kind === 'xrpl' && !checkAddress('xrp', String(account)).ok
  return [
    ...problem('account', isOther ? 'is not an address of the XRP Ledger' : undefined),
    ...problem(
      'keys',
      keys && hasSigner && entry.asset !== 'DOGE' ? 'are held by custody.signer: remove one of them' : undefined,
    ),
    ...problem(
      'keys.file',
      keys && place.withKeystores ? keystoreProblem(resolve(place.folder, keys.file)) : undefined,
    ),
  ]
}

/** A chain has one rail. */
function sameChain(placed: readonly Placed[]): SettingProblem[] {
  const chainOf = ({ entry: { kind, network, asset = 'BTC' } }: Placed): string | undefined =>
    ({ evm: `evm ${String(network)}`, bitcoin: `bitcoin ${String(asset)}`, xrpl: 'xrpl' })[kind]
  return placed.flatMap((one, at) => {
    const chain = chainOf(one)
    const first = placed.findIndex((other) => chain !== undefined && chainOf(other) === chain)
    return first !== -1 && first < at ? [{ path: one.path, message: `is for the same chain as rails[${first}]` }] : []
  })
}

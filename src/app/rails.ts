import { join } from 'node:path'

import type { OpenedRails, RailEntry, RailTools } from '../rails/kind.ts'
import { railKinds } from '../rails/kinds.ts'
import type { Rail } from '../rails/rail.ts'
import { secretOf } from './config/file.ts'
import type { Foundation } from './plug-in.ts'
import { signerOf } from './signer.ts'

/** What rails are opened with. Outside live mode, keys that are missing are made in the data folder. */
export function railToolsOf({
  config,
  db,
  clock,
  log,
  secrets,
}: Pick<Foundation, 'config' | 'db' | 'clock' | 'log' | 'secrets'>): RailTools {
  const { file, evm, confirmations, outsideTimeoutMs: timeoutMs } = config
  const isLive = config.mode === 'live'
  return {
    db,
    clock,
    log,
    secrets,
    folder: file?.folder ?? config.dataDir,
    readSecret: (reference) => secretOf(reference, { folder: file?.folder ?? config.dataDir }),
    timeoutMs,
    confirmations,
    isLive,
    signer: signerOf(file, db),
    madeKeys: isLive ? undefined : join(config.dataDir, 'keys'),
    evm,
  }
}

/** The rails of CONFIG_FILE, in its order, and those that only other settings name; and what each kind does besides. */
export async function openRails(
  entries: readonly RailEntry[],
  tools: RailTools,
): Promise<{ rails: Rail[]; kinds: OpenedRails[] }> {
  const kinds: OpenedRails[] = []
  for (const one of railKinds) {
    const ofKind = entries.filter(({ kind }) => kind === one.kind)
    if (ofKind.length > 0 || one.isNamedElsewhere?.(tools)) kinds.push(await one.open(ofKind, tools))
  }
  const opened = kinds.flatMap(({ rails }) => rails)
  const rails = entries.flatMap((entry) => {
    const rail = opened.find(({ name }) => name === entry.name)
    return rail ? [{ ...rail, preference: preferenceOf(entry) }] : []
  })
  return { rails: [...rails, ...opened.filter(({ name }) => !entries.some((entry) => entry.name === name))], kinds }
}

const preferenceOf = ({ priority = 1, weight = 1 }: RailEntry) => ({ priority, weight })

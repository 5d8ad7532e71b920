import { join } from 'node:path'

import { type EvmRails, openEvmRails } from '../rails/evm/rails.ts'
import type { EvmEntry } from '../rails/evm/settings.ts'
import { type RailEntry, secretOf } from './config/file.ts'
import type { Foundation } from './plug-in.ts'
import { signerOf } from './signer.ts'

const isEvm = (entry: RailEntry): entry is RailEntry & EvmEntry => entry.kind === 'evm'

/** Opens the chains of the EVM, of the settings and of CONFIG_FILE. Outside live mode, their keys are made in the data folder where there are none. */
export function openEvm({
  config,
  db,
  clock,
  log,
  secrets,
}: Pick<Foundation, 'config' | 'db' | 'clock' | 'log' | 'secrets'>): Promise<EvmRails> {
  const { file } = config
  return openEvmRails({
    config,
    db,
    clock,
    log,
    secrets,
    signer: signerOf(file, db),
    entries: file?.rails?.filter(isEvm),
    readSecret: file && ((reference) => secretOf(reference, file)),
    madeKeys: config.mode === 'live' ? undefined : join(config.dataDir, 'keys'),
  })
}

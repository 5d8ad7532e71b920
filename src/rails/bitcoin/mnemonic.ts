import { resolve } from 'node:path'

import { makeKeys } from '../keys/made-keys.ts'
import { readKeystore } from '../keys/keystore.ts'
import { newMnemonic } from './keys.ts'
import type { BitcoinSettings } from './settings.ts'

/**
 * The mnemonic of a rail: of its keystore, or none where the settings have an account key alone. Else one is made in `madeKeys`, a
 * folder for coins without worth; live mode has none, and refuses.
 */
export async function mnemonicOf(
  { name, keys, account_key: accountKey }: BitcoinSettings,
  {
    folder,
    readSecret,
    madeKeys,
  }: { folder: string; readSecret(reference: string): string; madeKeys: string | undefined },
): Promise<string | undefined> {
  if (keys) return readKeystore(resolve(folder, keys.file), readSecret(keys.password))
  if (accountKey !== undefined) return undefined
  if (madeKeys === undefined) throw new Error(`The rail ${name} needs keys, or an account_key to watch with.`)
  return makeKeys(madeKeys, name, newMnemonic)
}

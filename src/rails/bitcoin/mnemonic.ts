import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { randomToken } from '../../platform/lib/ids.ts'
import { readKeystore, readPasswordFile, writeKeystore } from '../keys/keystore.ts'
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
  return makeKeys(madeKeys, name)
}

/** Makes a keystore NAME.keystore in a folder once, with its password next to it, and opens it. */
export async function makeKeys(folder: string, name: string): Promise<string> {
  const [file, passwordFile] = [join(folder, `${name}.keystore`), join(folder, `${name}.keystore-password`)]
  await mkdir(folder, { recursive: true })
  await writeFile(passwordFile, `${randomToken(24)}\n`, { mode: 0o600, flag: 'wx' }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    },
  )
  const password = await readPasswordFile(passwordFile)
  if (!existsSync(file)) await writeKeystore(file, newMnemonic(), password)
  return readKeystore(file, password)
}

import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { randomToken } from '../../platform/lib/ids.ts'
import { readKeystore, readPasswordFile, writeKeystore } from './keystore.ts'

/** Makes a keystore NAME.keystore in a folder once, with its password next to it, and opens it: gives its mnemonic. */
export async function makeKeys(
  folder: string,
  name: string,
  newMnemonic: () => string | Promise<string>,
): Promise<string> {
  const [file, passwordFile] = [join(folder, `${name}.keystore`), join(folder, `${name}.keystore-password`)]
  await mkdir(folder, { recursive: true })
  await writeFile(passwordFile, `${randomToken(24)}\n`, { mode: 0o600, flag: 'wx' }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    },
  )
  const password = await readPasswordFile(passwordFile)
  if (!existsSync(file)) await writeKeystore(file, await newMnemonic(), password)
  return readKeystore(file, password)
}

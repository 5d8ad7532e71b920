import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { writeKeystore } from '../../src/rails/keys/keystore.ts'

/** Writes a keystore that opens at once, at the least cost that is read: for tests of everything but that cost. */
export const writeCheapKeystore = (file: string, mnemonic: string, password: string): Promise<void> =>
  writeKeystore(file, mnemonic, password, { n: 16_384, r: 1, p: 1 })

/** Writes the files of a signer with known keys into a folder, and gives the folder. */
export async function signerFolder(folder: string, mnemonic: string, policy: string): Promise<string> {
  const password = 'a-password-for-tests'
  await writeCheapKeystore(join(folder, 'signer.keystore'), mnemonic, password)
  writeFileSync(join(folder, 'signer.keystore-password'), password, { mode: 0o600 })
  writeFileSync(join(folder, 'policy.yaml'), policy)
  return folder
}

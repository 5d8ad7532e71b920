import { type Config, readConfig } from '../config/config.ts'
import { createKeystore, keystorePassword, showKeystore } from '../../rails/evm/rails.ts'
import type { Answer } from '../../doors/commands/command.ts'

/** Makes the keystore that the settings name, with new words and their password, and says which address pays out. */
export const create = async (): Promise<Answer> => {
  const { file, password } = await named()
  const { hot } = await createKeystore(file, password)
  return {
    json: { file, hot },
    text: `Made ${file}. Keep a copy of it and of its password elsewhere.\nPays out from ${hot}`,
  }
}

/** Opens the keystore that the settings name, and says which address pays out. */
export const show = async (): Promise<Answer> => {
  const { file, password } = await named()
  const { hot } = await showKeystore(file, password)
  return { json: { file, hot }, text: `${file} pays out from ${hot}` }
}

async function named(): Promise<{ file: string; password: string }> {
  const config: Config = readConfig()
  if (config.evm.keystoreFile === undefined) throw new Error('EVM_KEYSTORE_FILE says where the keystore is: set it.')
  return { file: config.evm.keystoreFile, password: await keystorePassword(config) }
}

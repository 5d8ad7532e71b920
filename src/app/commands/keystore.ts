import { type Config, readConfig } from '../config/config.ts'
import { createKeystore, keystorePassword, showKeystore } from '../../rails/evm/rails.ts'
import type { Answer } from '../../doors/commands/command.ts'

/** Creates the keystore file that the settings name, with a new mnemonic. */
export const create = async (): Promise<Answer> => {
  const { file, password } = await named()
  const { hot } = await createKeystore(file, password)
  return {
    json: { file, hot },
    text: `Created ${file}. Keep copies of the file and of its password elsewhere.\nPays out from ${hot}`,
  }
}

export const show = async (): Promise<Answer> => {
  const { file, password } = await named()
  const { hot } = await showKeystore(file, password)
  return { json: { file, hot }, text: `${file} pays out from ${hot}` }
}

async function named(): Promise<{ file: string; password: string }> {
  const config: Config = readConfig()
  if (config.evm.keystoreFile === undefined) throw new Error('EVM_KEYSTORE_FILE is not set.')
  return { file: config.evm.keystoreFile, password: await keystorePassword(config) }
}

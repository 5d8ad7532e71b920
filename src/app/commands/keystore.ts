import { type Config, readConfig } from '../config/config.ts'
import { createKeystore, keystorePassword, showKeystore, showSigner } from '../../rails/evm/rails.ts'
import { signerOf } from '../signer.ts'
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

/** Shows what the keystore pays out from; without one, what the signer does. */
export const show = async (): Promise<Answer> => {
  const { evm, file: settings } = readConfig()
  const signer = signerOf(settings)
  if (evm.keystoreFile === undefined && signer) {
    const { hot } = await showSigner(signer)
    return { json: { file: null, hot }, text: `The signer pays out from ${hot}` }
  }
  const { file, password } = await named()
  const { hot } = await showKeystore(file, password)
  return { json: { file, hot }, text: `${file} pays out from ${hot}` }
}

async function named(): Promise<{ file: string; password: string }> {
  const config: Config = readConfig()
  if (config.evm.keystoreFile === undefined) throw new Error('EVM_KEYSTORE_FILE is not set.')
  return { file: config.evm.keystoreFile, password: await keystorePassword(config) }
}

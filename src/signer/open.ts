import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { Clock } from '../platform/lib/clock.ts'
import type { Log } from '../platform/lib/log.ts'
import { newMnemonic } from '../rails/bitcoin/keys.ts'
import { makeKeys } from '../rails/keys/made-keys.ts'
import { bitcoinFamily, destinationOf as bitcoinDestination } from '../rails/bitcoin/signing-family.ts'
import { destinationOf as evmDestination, evmFamily } from '../rails/evm/signing-family.ts'
import { readKeystore, readPasswordFile } from '../rails/keys/keystore.ts'
import { destinationOf as xrplDestination, xrplFamily } from '../rails/xrpl/signing-family.ts'
import { openJournal } from './journal.ts'
import { emptyPolicy, readPolicy } from './policy.ts'
import { serveSigner } from './serve.ts'
import { openKeySigner } from './signer.ts'

/** What an address of the policy pays to, on any chain that the signer signs for. */
export const destinationOf = (address: string): string | undefined =>
  bitcoinDestination(address) ?? xrplDestination(address) ?? evmDestination(address)

/** The socket of the signer in a folder. */
export const socketIn = (folder: string): string => join(folder, 'signer.sock')

/** Makes a signer's folder: keystore, its password, and a policy that allows nothing. Refuses a folder that has one. */
export async function initSigner(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(join(folder, 'policy.yaml'), emptyPolicy, { mode: 0o600, flag: 'wx' }).catch(
    (error: NodeJS.ErrnoException) => {
      throw new Error(error.code === 'EEXIST' ? `${folder} has a signer already.` : `${folder} cannot be written.`)
    },
  )
  await makeKeys(folder, 'signer', newMnemonic)
  await (await openJournal(join(folder, 'journal.jsonl'))).close()
}

/** Opens the signer of a folder and listens on its socket. Refuses a policy that it does not understand, and a changed journal. */
export async function runSigner(
  folder: string,
  { clock, log }: { clock: Pick<Clock, 'realNow'>; log: Log },
): Promise<{ stop(): Promise<void> }> {
  const mnemonic = await readMnemonic(folder, 'signer')
  // A keystore that the service used before, with its addresses.
  const evmMnemonic = existsSync(join(folder, 'evm.keystore')) ? await readMnemonic(folder, 'evm') : mnemonic
  const policy = readPolicy(await readFile(join(folder, 'policy.yaml'), 'utf8'))
  const allowed = new Set([...policy.allowed].flatMap((one) => destinationOf(one) ?? unknownAddress(one)))
  const journal = await openJournal(join(folder, 'journal.jsonl'))
  const families = {
    bitcoin: bitcoinFamily(mnemonic),
    xrpl: xrplFamily(mnemonic),
    evm: evmFamily(evmMnemonic, policy.testChains),
  }
  const signer = openKeySigner({ policy: { ...policy, allowed }, journal, clock, log, families })
  const server = await serveSigner(signer, socketIn(folder), log).catch(async (error: unknown) => {
    await journal.close()
    throw error
  })
  return {
    stop: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
      await journal.close()
    },
  }
}

const readMnemonic = async (folder: string, name: string): Promise<string> =>
  readKeystore(join(folder, `${name}.keystore`), await readPasswordFile(join(folder, `${name}.keystore-password`)))

function unknownAddress(address: string): never {
  throw new Error(`policy.yaml: ${address} is not an address that the signer knows.`)
}

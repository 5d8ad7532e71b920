import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync, sign } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openSignerClient, type SignerClient } from '../../src/rails/keys/signer-client.ts'
import { resumeContent } from '../../src/signer/judge.ts'
import { signerFolder } from './signer-folder.ts'
import { projectFolder } from './source.ts'
import { until } from './telling.ts'

/** The signer as an operator runs it: `cambio signer run`, a process of its own, in its own folder. */
export type SignerProcess = {
  folder: string
  socket: string
  client: SignerClient
  pid(): number
  /** Everything that it has logged so far, over all starts. */
  output(): string
  /** Starts it, with another policy if one is given. Resolves once it listens; fails where it ends before. */
  start(policy?: string): Promise<void>
  kill(signal?: NodeJS.Signals): Promise<number | null>
  /** Ends it if it runs, and removes the folder. */
  remove(): Promise<void>
}

/** Two approvers of a signer: their lines for `policy.yaml`, and what ends a halt of it as both of them, once it is halted. */
export function twoApprovers(): { lines: string; resume(client: SignerClient): Promise<void> } {
  const people = ['ada', 'ben'].map((name) => ({ name, ...generateKeyPairSync('ed25519') }))
  const lines = people.map(({ name, publicKey }) => {
    const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
    return `  - { name: ${name}, public_key: "${key}" }`
  })
  return {
    lines: lines.join('\n'),
    resume: async (client) => {
      const halts: string[] = []
      await until(async () => {
        const { halted } = await client.call<{ halted: string | null }>('/status', {})
        return halts.push(...(halted === null ? [] : [halted])) > 0
      }, 'the signer to be halted')
      for (const { name, privateKey } of people) {
        const content = Buffer.from(resumeContent(halts[0] ?? ''))
        await client.call('/resume', { approver: name, signature: sign(null, content, privateKey).toString('base64') })
      }
    },
  }
}

export const signerMnemonic = 'test test test test test test test test test test test junk'

/** Starts the signer of a new folder. */
export async function startSignerProcess(policy: string, mnemonic = signerMnemonic): Promise<SignerProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'cambio-signer-'))
  await signerFolder(folder, mnemonic, policy)
  const socket = join(folder, 'signer.sock')
  const { PATH = '', HOME = '' } = process.env
  let child: ChildProcess | undefined
  let ended: Promise<number | null> = Promise.resolve(null)
  let output = ''
  const signer: SignerProcess = {
    folder,
    socket,
    client: openSignerClient(socket),
    pid: () => child?.pid ?? 0,
    output: () => output,
    start: async (changed) => {
      if (changed !== undefined) writeFileSync(join(folder, 'policy.yaml'), changed)
      const from = output.length
      const started = spawn(process.execPath, [join(projectFolder, 'bin/cambio'), 'signer', 'run', '--dir', folder], {
        env: { PATH, HOME },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      child = started
      ended = new Promise((resolve) => started.once('close', resolve))
      await new Promise<void>((resolve, reject) => {
        const read = (text: unknown): void => {
          output += String(text)
          if (output.slice(from).includes('The signer listens.')) resolve()
        }
        started.stdout.on('data', read)
        started.stderr.on('data', read)
        ended.then(() => reject(new Error(`The signer ended before it listened:\n${output.slice(from)}`)), reject)
      })
    },
    kill: (signal = 'SIGKILL') => {
      child?.kill(signal)
      return ended
    },
    remove: async () => {
      await signer.kill('SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    },
  }
  await signer.start()
  return signer
}

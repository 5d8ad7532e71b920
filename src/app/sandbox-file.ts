import type { Config } from './config/config.ts'

/** What the sandbox on this machine has written to sandbox.json; undefined in live mode, and without that file. */
export async function readSandboxFile({ mode, dataDir }: Pick<Config, 'mode' | 'dataDir'>) {
  if (mode === 'live') return undefined
  const { readSandbox } = await import('../sandbox/sandbox-file.ts')
  return readSandbox(dataDir)
}

import { access, constants } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

import type { Answer, Invocation } from '../../doors/commands/command.ts'
import { checkConfigFile, type ConfigFile, type FileProblem, printProblem } from '../config/file.ts'
import { configFileSchema } from '../config/file-schema.ts'
import { configFilePath, settingProblems } from '../config/config.ts'

/** Checks the file that is named, or else CONFIG_FILE, and the settings of the environment. Needs no exchange. */
export async function check({ args: [named] }: Invocation): Promise<Answer> {
  const path = named ?? configFilePath()
  const { file, problems } =
    path === undefined ? { problems: [{ path: '', message: 'CONFIG_FILE is not set' }] } : checkConfigFile(path)
  const inFile = [...problems, ...(await signerProblems(file))]
  const inSettings = settingProblems(path).filter(([name]) => inFile.length === 0 || name !== 'CONFIG_FILE')
  const ok = inFile.length + inSettings.length === 0
  const lines = [
    ...inFile.map((one) => `${path ?? ''}${printProblem(one)}`),
    ...inSettings.map(([name, message]) => `${name}: ${message}`),
  ]
  return {
    json: { ok, problems: [...inFile, ...inSettings.map(([name, message]) => ({ path: name, message }))] },
    text: ok ? `${path} has no faults.` : lines.join('\n'),
    exitCode: ok ? 0 : 1,
  }
}

/** What is wrong with the policy of the signer that a file names, where this user may read it: next to its socket. */
async function signerProblems(file: ConfigFile | undefined): Promise<FileProblem[]> {
  const socket = file?.custody?.signer?.socket
  if (!file || socket === undefined) return []
  const folder = dirname(resolve(file.folder, socket))
  const mayRead = await access(join(folder, 'policy.yaml'), constants.R_OK).then(
    () => true,
    () => false,
  )
  const message = mayRead ? await (await import('../../signer/open.ts')).policyProblem(folder) : undefined
  return message === undefined
    ? []
    : [{ path: 'custody.signer', message: `names a signer that cannot start. ${message}` }]
}

/** For editors, and for programs that write the file. */
export const schema = (): Promise<Answer> =>
  Promise.resolve({ json: configFileSchema as Answer['json'], text: JSON.stringify(configFileSchema, null, 2) })

import type { Answer, Invocation } from '../../doors/commands/command.ts'
import { checkConfigFile, printProblem } from '../config/file.ts'
import { configFileSchema } from '../config/file-schema.ts'
import { configFilePath, settingProblems } from '../config/config.ts'

/** Checks the file that is named, or else CONFIG_FILE, and the settings of the environment. Needs no exchange. */
export function check({ args: [named] }: Invocation): Promise<Answer> {
  const path = named ?? configFilePath()
  const inFile = path === undefined ? [{ path: '', message: 'CONFIG_FILE is not set' }] : checkConfigFile(path).problems
  const inSettings = settingProblems(path).filter(([name]) => inFile.length === 0 || name !== 'CONFIG_FILE')
  const ok = inFile.length + inSettings.length === 0
  const lines = [
    ...inFile.map((one) => `${path ?? ''}${printProblem(one)}`),
    ...inSettings.map(([name, message]) => `${name}: ${message}`),
  ]
  return Promise.resolve({
    json: { ok, problems: [...inFile, ...inSettings.map(([name, message]) => ({ path: name, message }))] },
    text: ok ? `${path} has no faults.` : lines.join('\n'),
    exitCode: ok ? 0 : 1,
  })
}

/** For editors, and for programs that write the file. */
export const schema = (): Promise<Answer> =>
  Promise.resolve({ json: configFileSchema as Answer['json'], text: JSON.stringify(configFileSchema, null, 2) })

import type { Answer, Invocation } from '../../doors/commands/command.ts'
import { checkConfigFile, printProblem } from '../config/file.ts'
import { configFileSchema } from '../config/file-schema.ts'
import { configFilePath } from '../config/config.ts'

/** Checks the file that is named, or else CONFIG_FILE. Needs no exchange. */
export function check({ args: [named] }: Invocation): Promise<Answer> {
  const path = named ?? configFilePath()
  const { problems } =
    path === undefined ? { problems: [{ path: '', message: 'CONFIG_FILE is not set' }] } : checkConfigFile(path)
  const ok = problems.length === 0
  return Promise.resolve({
    json: { ok, problems },
    text: ok ? `${path} has no faults.` : problems.map((one) => `${path ?? ''}${printProblem(one)}`).join('\n'),
    exitCode: ok ? 0 : 1,
  })
}

/** For editors, and for programs that write the file. */
export const schema = (): Promise<Answer> =>
  Promise.resolve({ json: configFileSchema as Answer['json'], text: JSON.stringify(configFileSchema, null, 2) })

import { printSettings, settings } from '../config/config.ts'
import type { Answer } from '../../doors/commands/command.ts'

/** Lists every setting with its sentence and its default. Needs no exchange. */
export const listSettings = (): Promise<Answer> =>
  Promise.resolve({ json: settings.map((one) => ({ ...one })), text: printSettings().trimEnd() })

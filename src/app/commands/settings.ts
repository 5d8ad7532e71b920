import { printSettings, settings } from '../config/config.ts'
import type { Answer } from '../../doors/commands/command.ts'

/** Needs no exchange. */
export const listSettings = (): Promise<Answer> =>
  Promise.resolve({ json: settings.map((one) => ({ ...one })), text: printSettings().trimEnd() })

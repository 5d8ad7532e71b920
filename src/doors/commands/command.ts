import type { Json } from '../../exchange/actions/action.ts'
import type { Ctx } from '../../exchange/context.ts'

export type { Json }

/** What follows a command's name, checked against its usage. */
export type ParsedArguments = {
  /** In the order of the usage. */
  args: string[]
  /** The values of the `--flags` that were given, by name. */
  flags: Readonly<Record<string, string>>
}

/** A command's arguments, and access to the exchange. */
export type Invocation = ParsedArguments & Exchange

/** Opens the exchange that the settings name, only when asked, and closes it when `work` ends. */
export type Exchange = {
  /** Runs `work` with the whole exchange composed and nothing started. */
  exchange<T>(work: (ctx: Ctx) => Promise<T>): Promise<T>
  /** The same for checks: one statement may take an hour. */
  patientExchange<T>(work: (ctx: Ctx) => Promise<T>): Promise<T>
}

/** A command's output; none if `json` is null. `text` replaces the general layout for people. */
export type Answer = {
  json: Json
  text?: string
  /** 0 by default. */
  exitCode?: number
}

/** A command of `bin/cambio`, as data: help and argument parsing derive from it. */
export type Command = {
  /** Name and arguments: `key create --partner ID --kind public|secret [--label L]`. See `readUsage`. */
  usage: string
  /** One sentence. */
  does: string
  /** More, for `help COMMAND`. */
  details?: string
  /** Whether its changes are audited as an operator's: then it also takes `--token-file FILE`. */
  acts?: boolean
  /** Loads the command's code only when it runs, so that every command starts fast. */
  run(input: Invocation): Promise<Answer>
}

/** An unknown command or wrong arguments. The message is for people; the exit code is 2. */
export class WrongUsage extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'WrongUsage'
  }
}

import type { Ctx } from '../../exchange/context.ts'

/** What `--json` prints. No bigint and no Date fits in it: ids and amounts are texts, times are ISO 8601. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** What was typed after a command's name, checked against its usage. */
export type Arguments = {
  /** The words, in the order of the usage. */
  words: string[]
  /** The values of `--flags` by name, as far as they were given. */
  flags: Readonly<Record<string, string>>
}

/** What a command is run with. */
export type Given = Arguments & Exchange

/** How a command reaches the exchange that the settings name. Opened only when asked, closed when `work` ends. */
export type Exchange = {
  /** Runs `work` with the whole exchange wired and nothing of it started. */
  exchange<T>(work: (ctx: Ctx) => Promise<T>): Promise<T>
  /** The same for a check: one statement may take an hour. */
  patientExchange<T>(work: (ctx: Ctx) => Promise<T>): Promise<T>
}

/** What a command has to say: nothing if `json` is null. `text` is for people where its general layout would not do. */
export type Answer = {
  json: Json
  text?: string
  /** 0 where nothing else is said: the command did what it was asked. */
  exitCode?: number
}

/** One command of `bin/cambio`, as data: help is printed and arguments are read by it. */
export type Command = {
  /** Its name and what it takes: `key create --partner ID --kind public|secret [--label L]`. See `readUsage`. */
  usage: string
  /** What it does, in a sentence. */
  does: string
  /** What else is worth knowing, for `help COMMAND`. */
  details?: string
  /** Whether it acts for a person, who may be an operator with a token: then it also takes `--token-file FILE`. */
  acts?: boolean
  /** Does it. Its code is loaded only now, so that each command starts fast. */
  run(given: Given): Promise<Answer>
}

/** What was typed is no command of ours, or not what it takes. The message is a plain sentence, and the exit code is 2. */
export class WrongUsage extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'WrongUsage'
  }
}

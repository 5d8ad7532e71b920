import { explainFailure } from './app/commands/failure.ts'
import { machineCommands } from './app/commands/machine.ts'
import type { Answer, Command, Exchange, Json } from './doors/commands/command.ts'
import { layOut } from './doors/commands/layout.ts'
import { isNamed, runTyped } from './doors/commands/run.ts'

const serve: Command = {
  usage: 'serve',
  does: 'Runs the exchange until it is stopped by Ctrl-C or SIGTERM.',
  run: async () => ({ json: null, exitCode: await (await import('./main.ts')).serve() }),
}

/** Every command but `help`, in the order of the help page; those that need no exchange do not wait for the code of the others. */
async function commandsFor(typed: string[]): Promise<readonly Command[]> {
  const own = [serve, ...machineCommands]
  if (own.some((command) => isNamed(command, typed))) return own
  return [serve, ...(await import('./app/commands/catalog.ts')).commands]
}

/** Commands that need no exchange start fast: its code is loaded on first use. */
const lazyExchange: Exchange = {
  exchange: async (work) => (await import('./app/commands/reach.ts')).exchange.exchange(work),
  patientExchange: async (work) => (await import('./app/commands/reach.ts')).exchange.patientExchange(work),
}

/** What people read: operators by their names. */
async function textFor({ json, text }: Answer): Promise<string> {
  if (!/\boperator:\d/.test(text ?? JSON.stringify(json))) return text ?? layOut(json)
  const { readNames } = await import('./exchange/operators/names.ts')
  const { within } = await lazyExchange.exchange((ctx) => readNames(ctx))
  if (text !== undefined) return within(text)
  const named: unknown = JSON.parse(JSON.stringify(json), (_, value: unknown) =>
    typeof value === 'string' ? within(value) : value,
  )
  return layOut(named as Json)
}

/**
 * Runs the arguments of `bin/cambio` and returns the exit code: 0; 1 if the command failed or a check found a problem; 2 if the
 * command or its arguments are invalid. Results go to standard output, in JSON with `--json`; errors to standard error.
 */
export async function runCommandLine(args: string[]): Promise<number> {
  const typed = args.filter((arg) => arg !== '--json')
  try {
    const answer = await runTyped(await commandsFor(typed), typed, lazyExchange)
    const { json, exitCode = 0 } = answer
    const isForPrograms = typed.length < args.length
    if (json !== null) process.stdout.write(`${isForPrograms ? JSON.stringify(json) : await textFor(answer)}\n`)
    return exitCode
  } catch (error) {
    const { text, exitCode } = explainFailure(error)
    process.stderr.write(`${text}\n`)
    return exitCode
  }
}

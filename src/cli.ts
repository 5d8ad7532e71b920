import { commands as catalog } from './app/commands/catalog.ts'
import { explainFailure } from './app/commands/failure.ts'
import type { Command, Exchange } from './doors/commands/command.ts'
import { layOut } from './doors/commands/layout.ts'
import { runTyped } from './doors/commands/run.ts'

/** Every command but `help`, in the order of the help page. */
export const commands: readonly Command[] = [
  {
    usage: 'serve',
    does: 'Runs the exchange until it is stopped by Ctrl-C or SIGTERM.',
    run: async () => ({ json: null, exitCode: await (await import('./main.ts')).serve() }),
  },
  ...catalog,
]

/** Commands that need no exchange start fast: its code is loaded on first use. */
const lazyExchange: Exchange = {
  exchange: async (work) => (await import('./app/commands/reach.ts')).exchange.exchange(work),
  patientExchange: async (work) => (await import('./app/commands/reach.ts')).exchange.patientExchange(work),
}

/**
 * Runs the arguments of `bin/cambio` and returns the exit code: 0; 1 if the command failed or a check found a problem; 2 if the
 * command or its arguments are invalid. Results go to standard output, in JSON with `--json`; errors to standard error.
 */
export async function runCommandLine(args: string[]): Promise<number> {
  const typed = args.filter((arg) => arg !== '--json')
  try {
    const { json, text = layOut(json), exitCode = 0 } = await runTyped(commands, typed, lazyExchange)
    if (json !== null) process.stdout.write(`${typed.length < args.length ? JSON.stringify(json) : text}\n`)
    return exitCode
  } catch (error) {
    const { text, exitCode } = explainFailure(error)
    process.stderr.write(`${text}\n`)
    return exitCode
  }
}

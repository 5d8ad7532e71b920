import { commands } from './app/commands/catalog.ts'
import { explainFailure } from './app/commands/failure.ts'
import { layOut } from './doors/commands/layout.ts'
import { runTyped } from './doors/commands/run.ts'

/**
 * Does what was typed after `bin/cambio` and gives the exit code: 0, 1 when it failed or a check found something, 2 when the
 * words were wrong. Answers go to standard output, in JSON with `--json`; everything else to standard error.
 */
export async function runCommandLine(args: string[]): Promise<number> {
  const typed = args.filter((word) => word !== '--json')
  try {
    const { json, text = layOut(json), exitCode = 0 } = await runTyped(commands, typed)
    if (json !== null) process.stdout.write(`${typed.length < args.length ? JSON.stringify(json) : text}\n`)
    return exitCode
  } catch (error) {
    const { text, exitCode } = explainFailure(error)
    process.stderr.write(`${text}\n`)
    return exitCode
  }
}

/**
 * `bin/cambio`, over and over in one process: most of what a command costs is loading it. A line of JSON on standard input
 * is one command, `{ args, env }`, and is done with nothing in the environment but `env`. It has ended when nothing keeps
 * the process alive any more, as it would have by itself; then both outputs get a mark, with the exit code on one.
 */
import { createInterface } from 'node:readline'

import { runCommandLine } from '../../src/cli.ts'
import { detach } from '../../src/platform/lib/detach.ts'

/** A line of standard input: what was typed after `bin/cambio`, and the whole environment. */
export type Order = { args: string[]; env: Record<string, string> }

/** What Node exits with when work is neither done nor under way any more. */
const abandoned = 13

let exitCode = abandoned

async function run({ args, env }: Order): Promise<void> {
  process.stdin.unref()
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
  exitCode = abandoned
  exitCode = await runCommandLine(args)
}

process.on('beforeExit', () => {
  process.stdout.write(`\0${exitCode}\0`)
  process.stderr.write('\0')
  process.stdin.ref()
})

createInterface({ input: process.stdin })
  .on('line', (line) => detach(run(JSON.parse(line) as Order)))
  .on('close', () => process.exit())

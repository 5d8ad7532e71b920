import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

import type { Exchange } from './exchange.ts'
import { projectFolder } from './source.ts'
import { until } from './telling.ts'

/** A program that runs, with the lines that it has printed. */
export type Running = {
  lines: string[]
  ended: Promise<number | null>
  /** Waits for a line, and gives what the pattern's group has found in it. */
  says(pattern: RegExp): Promise<string>
}

export type ExampleRunner = {
  /** A copy of an example, with its packages as `npm install` would put them. */
  installed(name: string, packages: readonly string[]): string
  run(program: string, args: string[]): Running
  stop(): void
}

/** Runs the programs in examples/ against an exchange, with a freshly built SDK. */
export function exampleRunner(exchange: Exchange): ExampleRunner {
  const built = spawnSync(process.execPath, ['bin/build-sdk.js'], { cwd: projectFolder, encoding: 'utf8' })
  assert.equal(built.status, 0, built.stdout + built.stderr)
  const folder = mkdtempSync(join(tmpdir(), 'cambio-examples-'))
  const running: ChildProcess[] = []
  const { secret_key: key, webhook_secret: secret, widget_secret: widget, partner_id: partner } = exchange.sandbox
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    CAMBIO_URL: exchange.url,
    CAMBIO_SECRET_KEY: key,
    CAMBIO_WEBHOOK_SECRET: secret,
    CAMBIO_WIDGET_SECRET: widget,
    CAMBIO_PARTNER_ID: partner,
    PORT: '0',
  }
  return {
    installed: (name, packages) => {
      const copy = join(folder, name)
      cpSync(join(projectFolder, 'examples', name), copy, { recursive: true })
      mkdirSync(join(copy, 'node_modules'))
      symlinkSync(join(projectFolder, 'sdk'), join(copy, 'node_modules/cambio-sdk'))
      for (const one of packages) symlinkSync(join(projectFolder, 'node_modules', one), join(copy, 'node_modules', one))
      return copy
    },
    run: (program, args) => {
      const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
      running.push(child)
      const lines: string[] = []
      createInterface(child.stdout).on('line', (line) => lines.push(line))
      return {
        lines,
        ended: new Promise<number | null>((resolve) => child.once('exit', resolve)),
        says: async (pattern) => {
          const found = () => lines.map((line) => pattern.exec(line)?.[1]).find((one) => one !== undefined)
          await until(() => Promise.resolve(found() !== undefined), `${args.join(' ')} to say ${pattern}`)
          return found() ?? assert.fail()
        },
      }
    },
    stop: () => {
      for (const one of running) one.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

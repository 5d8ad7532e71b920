import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { projectFolder } from './source.ts'

/** A unit of systemd of the project: what it runs, which files hold its environment, and which are its credentials. */
export type Unit = {
  text: string
  command: string[]
  environment: string[]
  environmentFiles: string[]
  credentials: Map<string, string>
}

export function readUnit(name: string): Unit {
  const text = readFileSync(join(projectFolder, 'deploy/systemd', name), 'utf8')
  const all = (key: string): string[] =>
    [...text.matchAll(new RegExp(`^${key}=(.+)$`, 'gm'))].map(([, value = '']) => value)
  return {
    text,
    command: all('ExecStart').flatMap((line) => line.split(' ')),
    environment: all('Environment').flatMap((line) => line.split(' ')),
    environmentFiles: all('EnvironmentFile'),
    credentials: new Map(
      all('LoadCredential').map((line) => [line.split(':')[0] ?? '', line.slice(line.indexOf(':') + 1)]),
    ),
  }
}

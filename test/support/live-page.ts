import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

import { projectFolder } from './source.ts'

/** A block of a page: commands of a shell or SQL, and the output that the page shows for them. */
export type PageBlock = { language: 'sh' | 'sql'; code: string; output: string | undefined }

/** The blocks of a page that can be run, in their order. */
export function blocksOf(path: string): PageBlock[] {
  const fences = [...readFileSync(join(projectFolder, path), 'utf8').matchAll(/^```(\w+)\n([^]*?)^```$/gm)]
  return fences.flatMap(([, language = '', code = ''], index) => {
    if (language !== 'sh' && language !== 'sql') return []
    const next = fences[index + 1]
    return [{ language, code, output: next?.[1] === 'text' ? next[2] : undefined }]
  })
}

/** Whether a text is what a page shows: `...` stands for anything, a line of its own for any lines; runs of spaces are alike. */
export function isShown(page: string, actual: string): boolean {
  const escaped = page
    .trim()
    .split('\n')
    .map((line) => (line.trim() === '...' ? '[^]*?' : `[^\\n]*?${escape(line)}[^\\n]*`))
  return new RegExp(`^${escaped.join('\\n?')}$`).test(actual.trim())
}

const escape = (line: string): string =>
  line
    .trim()
    .split('...')
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll(/ +/g, ' +'))
    .join('[^\\n]*')

/** A shell in which `cambio` is the command of this checkout. Its variables come from the environment file once there is one. */
export function shellWith(environmentFile: string): {
  run(code: string): Promise<{ code: number | null; output: string }>
  start(code: string): ChildProcess
} {
  const { PATH = '', HOME = '' } = process.env
  const env = { PATH: `${projectFolder}/bin:${PATH}`, HOME }
  const prelude = `set -e; if [ -f ${environmentFile} ]; then set -a; . ${environmentFile}; set +a; fi\n`
  const start = (code: string) => spawn('bash', ['-c', prelude + code], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  return {
    start: (code) => start(`exec ${code}`),
    run: async (code) => {
      const child = start(code)
      const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
      const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
      return { code: await ended, output: out + err }
    },
  }
}

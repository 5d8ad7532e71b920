import assert from 'node:assert/strict'

import { stopwatch } from '../../src/platform/lib/clock.ts'
import { commandLineOf } from './command.ts'
import type { Exchange } from './exchange.ts'
import { promised } from './promised.ts'
import { staffBrowser } from './staff-browser.ts'
import { until } from './telling.ts'

/** A need as programs find it: in the rows of the console's first page, or in `cambio stuck --json`. */
type Seen = { kind: string; cause: string; subject: string; words: string }

/** Words that only programs and those who write them know: commands, settings, ids of assets and lengths of time. */
const forPrograms = /[`{}]|cambio|CONFIG_FILE|\b[A-Z]{3,5}-[A-Z]{3,5}\b|\bP(?:\d+D|T\d+[HMS])\b|  /

const unescaped = (html: string): string =>
  html
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

/** What the sandbox's operator is told to do. `env` are settings of the exchange that commands need, too. */
export function needsOf(of: () => Exchange, env: Record<string, string> = {}) {
  const { ask } = staffBrowser(of)
  let cookie = ''

  async function atHome(): Promise<Seen[]> {
    if (cookie === '') {
      const { email, password } = of().sandbox.operator
      const { headers } = await ask('/console/sign-in', { form: { email, password } })
      cookie = (headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    }
    const { body } = await ask('/console', { cookie })
    assert.match(body, /What needs you now/)
    const rows = body.matchAll(
      /<tr data-need="(\w+)" data-cause="([\w ]+)" data-subject="([^"]*)"[\s\S]*?<a class="need"[^>]*>([\s\S]*?)<\/a>/g,
    )
    return [...rows].map(([, kind = '', cause = '', subject = '', words = '']) => ({
      kind,
      cause,
      subject,
      words: unescaped(words),
    }))
  }
  const inCommand = (): Promise<Seen[]> => commandLineOf(of(), env).told<Seen[]>('stuck')

  return {
    /** Waits until both have it once, home within ten seconds, in words for a person. `home`: what only this process knows. */
    begins: async (what: string, words: RegExp, where: 'both' | 'home' = 'both') => {
      const since = stopwatch()
      for (const look of where === 'both' ? [atHome, inCommand] : [atHome]) {
        let found: Seen[] = []
        await until(async () => {
          found = (await look()).filter(({ kind, cause }) => `${kind} ${cause}` === what)
          return found.length > 0
        }, `${what} to be needed`)
        if (look === atHome) assert.ok(since() < promised(10_000), `${what} was on home after ${since()} ms`)
        const [first, ...others] = found
        assert.deepEqual(
          others.filter(({ subject }) => subject === first?.subject),
          [],
          'once',
        )
        assert.match(first?.words ?? '', words)
        assert.doesNotMatch(first?.words ?? '', forPrograms)
      }
    },
    ends: async (what: string, where: 'both' | 'home' = 'both') => {
      for (const look of where === 'both' ? [atHome, inCommand] : [atHome])
        await until(
          async () => !(await look()).some(({ kind, cause }) => `${kind} ${cause}` === what),
          `${what} to be over`,
        )
    },
  }
}

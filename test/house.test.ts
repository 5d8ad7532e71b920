import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'

import { refusals } from '../src/platform/lib/refusal.ts'
import {
  asksForMode,
  circles,
  climbs,
  leftovers,
  loadsSandbox,
  type Lock,
  loosePackages,
  type Manifest,
  misnamed,
  repeated,
  ruledStatuses,
  silent,
  strays,
  tooLong,
  unexplainedRefusals,
  unsafeMigrations,
} from './support/house-rules.ts'
import { filesBelow, parseSource, projectFolder, readSources, type Source } from './support/source.ts'

const read = (file: string): string => readFileSync(join(projectFolder, file), 'utf8')
const sources = readSources('src', 'test', 'bench', 'bin')
const holds = (complaints: string[]): void => assert(complaints.length === 0, `\n${complaints.join('\n')}\n`)

test('folders import downward, and only the open files of a folder', () => holds(sources.flatMap(climbs)))
test('no files import each other in a circle, not even for types', () => {
  holds(circles(sources.filter(({ path }) => path.startsWith('src/') && !/\.test\.tsx?$/.test(path))))
  const circle = [
    { path: 'src/a.ts', imports: ['src/b.ts'] },
    { path: 'src/b.ts', imports: ['src/a.ts'] },
  ]
  assert.deepEqual(circles(circle), ['src/a.ts -> src/b.ts -> src/a.ts'])
})
test('each danger has one home', () => holds(sources.flatMap(strays)))
test('only app and sandbox know whether money is real', () => holds(sources.flatMap(asksForMode)))
test('live mode loads no code of the sandbox', () => holds(sources.flatMap(loadsSandbox)))
test('pages, commands and actions have no rule about statuses of their own', () =>
  holds(sources.flatMap(ruledStatuses)))
test('nothing is left to be finished', () => holds(sources.flatMap(leftovers)))
test('files are named for what they are', () => holds(sources.flatMap(misnamed)))
test('files and functions can be read at one sitting', () => holds(sources.flatMap(tooLong)))
test('a file explains what its code cannot say', () => holds(sources.flatMap(silent)))
test('a docstring says more than the signature', () => holds(sources.flatMap(repeated)))
test('a migration waits for locks a short time only', () => {
  const files = filesBelow('migrations').map((path) => ({ name: basename(path), text: read(path) }))
  assert(files.length > 0)
  holds(unsafeMigrations(files))
})
test('every refusal is explained to partners', () => {
  holds(unexplainedRefusals(read('docs/partner/errors.md'), refusals))
})
test('every machine installs the same packages', () => {
  holds(loosePackages(JSON.parse(read('package.json')) as Manifest, JSON.parse(read('package-lock.json')) as Lock))
})

const offences: [rule: (source: Source) => string[], path: string, text: string, complaint: string][] = [
  [
    ruledStatuses,
    'src/doors/console/bad.ts',
    "const isStopped = ({ status }) => status === 'paused' || status === 'disabled'",
    `src/doors/console/bad.ts: "status === 'paused' || status === 'disabled'": ask the function that the verb asks`,
  ],
  [
    ruledStatuses,
    'src/doors/console/bad.ts',
    'const own = tokens.filter(({ id, revokedAt }) => id === one.id && revokedAt === null)',
    'src/doors/console/bad.ts: ".filter(({ id, revokedAt }) => id === one.id && revokedAt === null": ask the function that the verb asks',
  ],
  [
    ruledStatuses,
    'src/doors/console/bad.ts',
    "const isBlocked = recordOf(profile).status === 'blocked'",
    `src/doors/console/bad.ts: "const isBlocked = recordOf(profile).status === 'blocked": ask the function that the verb asks`,
  ],
  [
    climbs,
    'src/platform/money/bad.ts',
    "import '../../exchange/transactions/create.ts'",
    'src/platform/money/bad.ts: platform/money may not import exchange/transactions',
  ],
  [
    climbs,
    'src/exchange/events/bad.ts',
    "import type { A } from '../mail/mail.ts'",
    'src/exchange/events/bad.ts: exchange/events may not import exchange/mail',
  ],
  [climbs, 'src/app/bad.ts', "import '../cli.ts'", 'src/app/bad.ts: app may not import cli.ts'],
  [climbs, 'src/cli.ts', "import './sandbox/seed.ts'", 'src/cli.ts: only app may import sandbox'],
  [
    climbs,
    'src/exchange/ledger/bad.ts',
    "import '../settings.ts'",
    'src/exchange/ledger/bad.ts: exchange/ledger may not import exchange/settings.ts',
  ],
  [climbs, 'src/bad.ts', 'export {}', 'src/bad.ts: no rung of the ladder holds it: see test/support/house-rules.ts'],
  [
    climbs,
    'src/doors/api/bad.ts',
    "import '../../../test/support/server.ts'",
    'src/doors/api/bad.ts: the product may not import test/support/server.ts',
  ],
  [climbs, 'src/doors/api/bad.ts', "import 'pg'", 'src/doors/api/bad.ts: pg is used in src/platform/db/ only'],
  [
    climbs,
    'src/doors/api/bad.ts',
    "export * from '../../exchange/pricing/old/send.ts'",
    'src/doors/api/bad.ts: exchange/pricing/old/send.ts is private to exchange/pricing',
  ],
  [
    climbs,
    'src/doors/api/bad.ts',
    "await import('../../exchange/ledger/queries.ts')",
    'src/doors/api/bad.ts: exchange/ledger/queries.ts holds the tables of exchange/ledger: ask exchange/ledger instead',
  ],
  [
    strays,
    'src/api/bad.ts',
    'const a = process.env.HOME',
    'src/api/bad.ts: process.env: settings are read in src/app/config/',
  ],
  [
    strays,
    'src/api/bad.ts',
    'const a = new Date()',
    'src/api/bad.ts: new Date(): the time comes from src/platform/lib/clock.ts',
  ],
  [
    strays,
    'src/api/bad.ts',
    'await db.sql<Row[]>`select 1`',
    'src/api/bad.ts: sql<Row[]>`: doors and app call a function that holds the SQL',
  ],
  [
    strays,
    'src/api/bad.ts',
    'const a = Number(amount)',
    'src/api/bad.ts: Number(: an amount never becomes a float; see src/platform/lib/ and src/platform/money/',
  ],
  [
    strays,
    'src/api/bad.ts',
    'const a = Math.random()',
    'src/api/bad.ts: Math.random: chance that can be guessed is for jitter only; see src/platform/lib/ids.ts',
  ],
  [
    strays,
    'src/api/bad.ts',
    'console.log(1)',
    'src/api/bad.ts: console.l: what happened goes to the log, src/platform/lib/log.ts',
  ],
  [
    loadsSandbox,
    'src/app/bad.ts',
    "import { a } from './a.ts'\nimport {\n  b,\n} from '../sandbox/open.ts'",
    'src/app/bad.ts: loads the sandbox in live mode too: import it at run time, where the mode is known',
  ],
  ...["const a = mode === 'live'", "if (config.mode !== 'live') a()", '// rails named sandbox-card'].map(
    (text): (typeof offences)[number] => [
      asksForMode,
      'src/exchange/bad.ts',
      text,
      `src/exchange/bad.ts: "${/mode ...|sandbox-/.exec(text)?.[0]}": only src/app/ and src/sandbox/ know of the sandbox and ask for the mode`,
    ],
  ),
  [
    leftovers,
    'src/api/bad.ts',
    ['// TO', 'DO: later'].join(''),
    'src/api/bad.ts: finish it, or write an issue, but leave no note to finish it',
  ],
  [misnamed, 'src/api/utils.ts', '', 'src/api/utils.ts: "utils" says nothing: name what it is, or what is done to it'],
  [misnamed, 'src/api/payOut.ts', '', 'src/api/payOut.ts: names are written kebab-case'],
  [tooLong, 'src/api/bad.ts', '\n//'.repeat(300), 'src/api/bad.ts: 301 lines, at most 300'],
  [tooLong, 'src/api/bad.ts', `const f = () => {${'\n'.repeat(70)}}`, 'src/api/bad.ts:1: f has 71 lines, at most 70'],
  [silent, 'src/api/bad.ts', 'export const a = 1\n'.repeat(50), 'src/api/bad.ts: nothing in it explains why'],
  [
    repeated,
    'src/api/bad.ts',
    '/** Reads the version of a database. */\nexport const readVersion = (database: Database) => 1',
    'src/api/bad.ts: the docstring of readVersion says no more than its signature: leave it out',
  ],
]

test('a planted offence is told kindly', () => {
  for (const [rule, path, text, complaint] of offences)
    assert.deepEqual(rule(parseSource(path, text)), [complaint], text)
  const [first, again] = ['0002-a.sql', '0002-b.sql'].map((name) => ({ name, text: "set local lock_timeout = '5s';" }))
  assert(first && again)
  assert.deepEqual(unsafeMigrations([first, again, { name: '0003-c.sql', text: '' }]), [
    'migrations/0002-b.sql: another one has its number',
    'migrations/0003-c.sql: sets no lock_timeout',
  ])
  assert.deepEqual(unexplainedRefusals('### `GONE` (410)\n\nIt was.\n\n### `CONFLICT` (409)\n\n', { CONFLICT: 409 }), [
    'docs/partner/errors.md: CONFLICT 409 has no paragraph',
    'docs/partner/errors.md: there is no refusal GONE 410',
  ])
})

test('what only looks like an offence is let pass', () => {
  const innocent: [rule: (source: Source) => string[], path: string, text: string][] = [
    [
      climbs,
      'src/doors/api/good.ts',
      "import '../../exchange/ledger/balance.ts'\nimport '../../platform/money/amount.ts'\nimport './queries.ts'",
    ],
    [climbs, 'src/exchange/checks/good.ts', "import '../transactions/transactions.sql.ts'"],
    [climbs, 'src/doors/api/good.test.ts', "import '../../../test/support/database.ts'"],
    [climbs, 'src/exchange/events/good.test.ts', "import '../../sandbox/seed.ts'"],
    [loadsSandbox, 'src/app/good.ts', "const { a } = await import('../sandbox/open.ts')"],
    [asksForMode, 'src/app/good.ts', "const a = mode === 'live' ? [] : ['sandbox-card']"],
    [strays, 'src/api/good.ts', "// never Date.now()\nconst a = 'process.env'"],
    [strays, 'src/api/queries.ts', 'db.sql`select 1`'],
    [tooLong, 'test/good.test.ts', `describe('all', () => {${'\n'.repeat(80)}})`],
    [tooLong, 'src/api/good.ts', `function f() {${`\nfunction g() {${'\n'.repeat(50)}}`.repeat(2)}}`],
    [silent, 'src/api/good.ts', '// Why.\nconst a = 1' + '\n'.repeat(50)],
    [repeated, 'src/api/good.ts', '/** In real time. */\nexport const readNow = () => 1'],
    [repeated, 'src/api/good.ts', 'export const readNow = () => 1'],
  ]
  for (const [rule, path, text] of innocent) assert.deepEqual(rule(parseSource(path, text)), [], text)
})

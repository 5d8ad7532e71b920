import { basename } from 'node:path'

import type { Source } from './source.ts'

/** The folders of src/, from the top floor down. A folder imports only from lower floors. */
export const floors = [
  ['cli.ts'],
  ['commands'],
  ['main.ts'],
  ['welcome.ts'],
  ['seed.ts', 'house.ts', 'watch.ts', 'chores.ts', 'metrics.ts'],
  ['database.ts'],
  ['api', 'checkout', 'calculator', 'console', 'callbacks', 'sandbox-api'],
  ['ui'],
  ['b2b'],
  ['transactions'],
  ['availability'],
  ['deposits', 'payouts', 'pricing', 'customers', 'webhooks'],
  ['partners', 'operators'],
  ['events', 'audit', 'mail'],
  ['context.ts'],
  ['rails', 'identity'],
  ['privacy'],
  ['ledger', 'bank', 'language'],
  ['catalog', 'addresses', 'geo'],
  ['money'],
  ['jobs'],
  ['db'],
  ['config.ts'],
  ['outside-settings.ts', 'staff-settings.ts', 'telling-settings.ts'],
  ['lib'],
]

/** What may be done in one place only, and the sentence that says so. */
const dangers: [danger: RegExp, home: RegExp, sentence: string][] = [
  [/\bprocess\.env\b/, /^src\/(config|main|cli)\.ts$/, 'settings are read in src/config.ts'],
  [/\bDate\.now\b|\bnew Date\(\)|\bprocess\.hrtime\b/, /^src\/lib\/clock\.ts$/, 'the time comes from src/lib/clock.ts'],
  [
    /\b(sql|send)(<[^`()]*>)?`|\.query\(/,
    /\/queries\.ts$|^src\/(db|webhooks|events|mail|jobs)\//,
    "SQL belongs in the folder's queries.ts",
  ],
  [
    /\bparseFloat\b|\.toFixed\(|(?<!\.)\bNumber\(/,
    /^src\/lib\//,
    'an amount never becomes a float; see src/lib/ and src/money/',
  ],
  [
    /\bMath\.random\b/,
    /^src\/(lib|jobs|webhooks|events)\//,
    'chance that can be guessed is for jitter only; see src/lib/ids.ts',
  ],
  [/\bconsole\.\w/, /^src\/(cli|main)\.ts$/, 'what happened goes to the log, src/lib/log.ts'],
]

/** Packages with one home. */
const homes: [name: string, home: string][] = [
  ['pg', 'src/db/'],
  ['nodemailer', 'src/mail/'],
  ['maxmind', 'src/geo/'],
]

const forbiddenNames =
  /^(index|types|utils?|constants|services?|helpers?|managers?|repository|repositories|common|misc)$/
const longestFile = 300
const longestFunction = 70
/** Files and functions (`path: name`) that were too long when the rule came. Entries leave; none may come. */
const stillTooLong: string[] = []

const isTest = (path: string): boolean => path.startsWith('test/') || /\.test\.tsx?$/.test(path)
const isOurs = (path: string): boolean => path.startsWith('src/') && !isTest(path)

/** Imports go downward, to what lies open at another folder's root. A test may also look at its neighbours. */
export function climbs({ path, imports }: Source): string[] {
  const [top, here = ''] = path.replace(/\.test\.(tsx?)$/, '.$1').split('/')
  if (top !== 'src') return []
  if (floorOf(here) === -1) return [`${path}: ${here} has no floor yet: give it one in test/support/house-rules.ts`]

  const highest = isTest(path) ? floorOf(here) : floorOf(here) + 1
  return imports.flatMap((imported) => {
    const [root = '', there = '', ...rest] = imported.split('/')
    if (root !== 'src') return beyond(path, imported)
    if (here === there) return []
    if (floorOf(there) < highest) return [`${path}: ${nameOf(here)} may not import ${nameOf(there)}`]
    if (rest.length > 1) return [`${path}: ${there}/${rest.join('/')} is private to ${there}`]
    return rest[0] === 'queries.ts'
      ? [`${path}: ${there}/queries.ts holds the tables of ${there}: ask ${there} instead`]
      : []
  })
}

const floorOf = (folder: string): number => floors.findIndex((floor) => floor.includes(folder))
const nameOf = (folder: string): string => folder.replace(/\.ts$/, '')

/** The product stands without its tests and benchmarks; a package with one home is used there only. */
function beyond(path: string, imported: string): string[] {
  if (/^(test|bench|bin)\//.test(imported) && isOurs(path)) return [`${path}: the product may not import ${imported}`]
  return homes
    .filter(([name, home]) => imported === name && isOurs(path) && !path.startsWith(home))
    .map(([name, home]) => `${path}: ${name} is used in ${home} only`)
}

/** What has one home is not done elsewhere. */
export const strays = ({ path, code }: Source): string[] =>
  dangers
    .filter(([danger, home]) => isOurs(path) && !home.test(path) && danger.test(code))
    .map(([danger, , sentence]) => `${path}: ${danger.exec(code)?.[0] ?? ''}: ${sentence}`)

/** Nothing says that it is unfinished. */
export const leftovers = ({ path, text }: Source): string[] =>
  /\b(FIX|TO)(ME|DO)\b/.test(text) ? [`${path}: finish it, or write an issue, but leave no note to finish it`] : []

/** Files are named for what they are, in one way of writing. */
export function misnamed({ path }: Source): string[] {
  const name = basename(path).replace(/(\.test)?\.(tsx?|js)$/, '')
  if (forbiddenNames.test(name)) return [`${path}: "${name}" says nothing: name what it is, or what is done to it`]
  return /^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) ? [] : [`${path}: names are written kebab-case`]
}

/** A file has one subject, a function fits on a screen. Lists of data may be long. */
export function tooLong({ path, text, functions }: Source): string[] {
  const lines = text.trimEnd().split('\n').length
  const file =
    lines > longestFile && !path.includes('/data/') ? [`${path}: ${lines} lines, at most ${longestFile}`] : []
  const long = functions.filter((one) => one.lines > longestFunction && !stillTooLong.includes(`${path}: ${one.name}`))
  return [
    ...file.filter(() => !stillTooLong.includes(path)),
    ...long.map((one) => `${path}:${one.line}: ${one.name} has ${one.lines} lines, at most ${longestFunction}`),
  ]
}

/** What others use says what it promises. */
export const untold = ({ path, undocumented }: Source): string[] =>
  isTest(path) && !path.includes('/support/') ? [] : undocumented.map((name) => `${path}: ${name} needs a docstring`)

/** Migrations come in order, and none stands in the way of a running service for long. */
export function unsafeMigrations(files: { name: string; text: string }[]): string[] {
  const numbered = files.filter(({ name }) => /^\d/.test(name))
  return numbered.flatMap(({ name, text }, index) => [
    ...(name.startsWith(`${String(index + 1).padStart(4, '0')}-`)
      ? []
      : [`migrations/${name}: its number is not the next`]),
    ...(/^set local lock_timeout = '\d+m?s';/m.test(text) ? [] : [`migrations/${name}: sets no lock_timeout`]),
  ])
}

/** The page about errors tells of every refusal, and of no other. */
export function unexplainedRefusals(page: string, codes: Record<string, number>): string[] {
  const told = [...page.matchAll(/^### `(\w+)` \((\d+)\)\n\n\S/gm)].map(
    ([, code = '', status = '']) => `${code} ${status}`,
  )
  const real = Object.entries(codes).map(([code, status]) => `${code} ${status}`)
  return [
    ...real.filter((one) => !told.includes(one)).map((one) => `docs/partner/errors.md: ${one} has no paragraph`),
    ...told.filter((one) => !real.includes(one)).map((one) => `docs/partner/errors.md: there is no refusal ${one}`),
  ]
}

/** What is read of package-lock.json. */
export type Lock = {
  packages: Record<string, { version?: string; resolved?: string; optionalDependencies?: Record<string, string> }>
}
/** What is read of package.json. */
export type Manifest = Record<'dependencies' | 'devDependencies' | 'optionalDependencies', Record<string, string>>

/** One version for everyone, wherever it is fetched from, with what other machines need of it. */
export function loosePackages(
  { dependencies, devDependencies, optionalDependencies }: Manifest,
  { packages }: Lock,
): string[] {
  const wanted = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
  const locked = Object.entries(packages)
  return [
    ...wanted
      .filter(([, version]) => !/^\d/.test(version))
      .map(([name]) => `package.json: ${name} has no exact version`),
    ...locked.filter(([, one]) => one.resolved).map(([path]) => `package-lock.json: ${path} says where it was fetched`),
    ...locked.flatMap(([path, one]) =>
      Object.keys(one.optionalDependencies ?? {})
        .filter((name) => !packages[`node_modules/${name}`] && !packages[`${path}/node_modules/${name}`])
        .map((name) => `package-lock.json: ${name} is missing, npm ci will refuse (make the lockfile anew)`),
    ),
  ]
}

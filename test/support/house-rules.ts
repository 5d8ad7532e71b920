import { basename } from 'node:path'

import type { Source } from './source.ts'

/**
 * The rooms of src/ and the folders of the large ones, from the top down. Imports point down this list only, those of types too.
 * Folders on one line do not know of each other.
 */
export const ladder = [
  ['cli.ts'],
  ['main.ts'],
  ['app'],
  ['sandbox'],
  ['doors/commands'],
  ['doors/api', 'doors/callbacks', 'doors/checkout', 'doors/calculator', 'doors/console', 'doors/portal'],
  ['doors/pages'],
  ['doors/ui'],
  ['exchange/actions'],
  ['exchange/checks', 'exchange/reports'],
  ['exchange/needs'],
  ['exchange/operations', 'exchange/proposals'],
  ['exchange/b2b'],
  ['exchange/orders'],
  ['exchange/reconciliation'],
  ['exchange/treasury'],
  ['exchange/settlement'],
  ['exchange/transactions'],
  ['exchange/availability'],
  ['exchange/pricing', 'exchange/customers', 'exchange/webhooks'],
  ['exchange/compliance'],
  ['exchange/partners', 'exchange/operators'],
  ['exchange/sign-in'],
  ['exchange/events', 'exchange/mail'],
  ['exchange/context.ts'],
  ['exchange/policies'],
  ['exchange/approvals'],
  ['exchange/settings.ts'],
  ['exchange/ledger', 'exchange/audit'],
  ['signer'],
  ['rails'],
  ['identity', 'markets'],
  ['reference/geo', 'reference/bank'],
  ['reference/catalog'],
  ['reference/addresses'],
  ['platform/language', 'platform/privacy'],
  ['platform/money'],
  ['platform/jobs'],
  ['platform/db'],
  ['platform/lib'],
]

/** What may be done in one place only, and the sentence that says so. */
const dangers: [danger: RegExp, home: RegExp, sentence: string][] = [
  [/\bprocess\.env\b/, /^src\/app\/config\//, 'settings are read in src/app/config/'],
  [
    /\bDate\.now\b|\bnew Date\(\)|\bprocess\.hrtime\b/,
    /^src\/platform\/lib\/clock\.ts$/,
    'the time comes from src/platform/lib/clock.ts',
  ],
  [
    /\b(sql|send)(<[^`()]*>)?`|\.query\(/,
    /^src\/(exchange|rails|identity|sandbox|platform)\/|\/queries\.ts$/,
    'doors and app call a function that holds the SQL',
  ],
  [
    /\bparseFloat\b|\.toFixed\(|(?<!\.)\bNumber\(/,
    /^src\/platform\/lib\//,
    'an amount never becomes a float; see src/platform/lib/ and src/platform/money/',
  ],
  [
    /\bMath\.random\b/,
    /^src\/(platform\/(lib|jobs|db)|exchange\/(webhooks|events))\//,
    'chance that can be guessed is for jitter only; see src/platform/lib/ids.ts',
  ],
  [/\bconsole\.\w/, /^src\/(cli|main)\.ts$/, 'what happened goes to the log, src/platform/lib/log.ts'],
]

/** Packages with one home. */
const homes: [name: string, home: string][] = [
  ['pg', 'src/platform/db/'],
  ['nodemailer', 'src/exchange/mail/'],
  ['maxmind', 'src/reference/geo/'],
]

const forbiddenNames =
  /^(index|types|utils?|constants|services?|helpers?|managers?|repository|repositories|common|misc)$/
const longestFile = 300
const longestFunction = 70
/** Files and functions (`path: name`) that were too long when the rule came. Entries leave; none may come. */
const stillTooLong: string[] = []

const isTest = (path: string): boolean => path.startsWith('test/') || /\.test\.tsx?$/.test(path)
const isOurs = (path: string): boolean => path.startsWith('src/') && !isTest(path)

/** Imports go down the ladder, to what lies at another folder's root. Tests may also build what stands above what they test. */
export function climbs({ path, imports }: Source): string[] {
  if (!path.startsWith('src/')) return []
  const here = folderOf(path)
  if (here === undefined) return [`${path}: no rung of the ladder holds it: see test/support/house-rules.ts`]

  return imports.flatMap((imported) => {
    if (!imported.startsWith('src/')) return beyond(path, imported)
    const there = folderOf(imported) ?? imported.slice('src/'.length)
    if (here === there) return []
    if (rungOf(there) <= rungOf(here) && !isTest(path)) return [`${path}: ${here} may not import ${there}`]
    if (there === 'sandbox' && here !== 'app' && !isTest(path)) return [`${path}: only app may import sandbox`]
    const rest = imported.slice(`src/${there}/`.length)
    if (rest.includes('/') && there.includes('/')) return [`${path}: ${there}/${rest} is private to ${there}`]
    return isSql(rest) && !(here.startsWith('exchange/') && there.startsWith('exchange/'))
      ? [`${path}: ${there}/${rest} holds the tables of ${there}: ask ${there} instead`]
      : []
  })
}

const rungOf = (folder: string): number => ladder.findIndex((rung) => rung.includes(folder))
const folderOf = (path: string): string | undefined =>
  ladder.flat().find((folder) => path === `src/${folder}` || path.startsWith(`src/${folder}/`))
const isSql = (name: string): boolean => name === 'queries.ts' || name.endsWith('.sql.ts')

/** Files that import each other in a circle, imports of types included. Each circle is named once, by its first file. */
export function circles(sources: Pick<Source, 'path' | 'imports'>[]): string[] {
  const importsOf = new Map(sources.map(({ path, imports }) => [path, imports]))
  const done = new Set<string>()
  const found: string[] = []
  const visit = (path: string, trail: string[]): void => {
    const at = trail.indexOf(path)
    if (at !== -1) found.push([...trail.slice(at), path].join(' -> '))
    if (at !== -1 || done.has(path)) return
    for (const next of importsOf.get(path) ?? []) visit(next, [...trail, path])
    done.add(path)
  }
  for (const path of importsOf.keys()) visit(path, [])
  return found
}

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

/** The sandbox's code is loaded in the sandbox only: by an import at run time. */
export const loadsSandbox = ({ path, text }: Source): string[] =>
  path.startsWith('src/app/') && !isTest(path) && /^(import|export)\b[^(]*?'[./]+\/sandbox\//m.test(text)
    ? [`${path}: loads the sandbox in live mode too: import it at run time, where the mode is known`]
    : []

/**
 * The business doesn't know whether money is real: what differs is a setting that is named for what it decides, or a plug-in.
 * Covers comments and strings too.
 */
export function asksForMode({ path, text }: Source): string[] {
  const found = /sandbox-|\bmode [!=]==/.exec(text)
  if (!found || !isOurs(path) || /^src\/(app|sandbox)\//.test(path)) return []
  return [`${path}: "${found[0]}": only src/app/ and src/sandbox/ know of the sandbox and ask for the mode`]
}

/** What is possible in a status is asked of the one function that its verb asks, too: pages, commands and actions have no rule of their own. */
export function ruledStatuses({ path, text }: Source): string[] {
  if (!/^src\/(app|doors\/(commands|console|pages|portal)|exchange\/(actions|needs))\//.test(path)) return []
  const compared = "\\b(?:status|state) [!=]== '\\w+'"
  const found =
    new RegExp(`${compared}\\)? (?:\\|\\||&&) \\(?[\\w.]*${compared}`).exec(text) ??
    (path.startsWith('src/doors/') ? choosing.exec(text) : null)
  return found ? [`${path}: "${found[0]}": ask the function that the verb asks`] : []
}

/** A door chooses by a status what something is done with; in place, a status only says how something looks. */
const choosing = /(?:\.filter\(|const is\w+ = ).*\b(?:status|state|[a-z]\w*At) [!=]== \S+\b/

/** Nothing says that it is unfinished. */
export const leftovers = ({ path, text }: Source): string[] =>
  /\b(FIX|TO)(ME|DO)\b/.test(text) ? [`${path}: finish it, or write an issue, but leave no note to finish it`] : []

/** Files are named for what they are, in one way of writing. */
export function misnamed({ path }: Source): string[] {
  const name = basename(path).replace(/(\.test)?(\.sql)?\.(tsx?|js)$/, '')
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

/** A file of some length explains something: a docstring or a comment, whichever says what the code cannot. */
export const silent = ({ path, text, hasComments }: Source): string[] =>
  isTest(path) || hasComments || text.split('\n').length <= 40 ? [] : [`${path}: nothing in it explains why`]

/** A docstring says what the signature does not. One whose every word is in the signature is left out. */
export const repeated = ({ path, docstrings }: Source): string[] =>
  docstrings
    .filter(({ text, signature }) => {
      const known = new Set(stemsOf(signature.replaceAll(/([a-z])([A-Z])/g, '$1 $2')))
      return stemsOf(text).every((stem) => known.has(stem))
    })
    .map(({ name }) => `${path}: the docstring of ${name} says no more than its signature: leave it out`)

const fillers = new Set(
  'a an the of to for from in on at by with and or is are be it its this that these one whether all every each gives returns makes'.split(
    ' ',
  ),
)
const stemsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[a-z0-9]+/g) ?? [])
    .filter((word) => !fillers.has(word))
    .map((word) => word.replace(/(ies|es|s|ed|ing|e|y)$/, ''))

/** Each migration has a number, which leaves gaps for work that is under way, and none stands in the way of a running service for long. */
export function unsafeMigrations(files: { name: string; text: string }[]): string[] {
  const numbered = files.filter(({ name }) => /^\d/.test(name))
  return numbered.flatMap(({ name, text }, index) => [
    ...(/^\d{4}-/.test(name) && name.slice(0, 4) !== numbered[index - 1]?.name.slice(0, 4)
      ? []
      : [`migrations/${name}: another one has its number`]),
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

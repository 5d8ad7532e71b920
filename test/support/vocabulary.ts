import { parseSync } from 'oxc-parser'

/** Something that people read: a comment, a string, a page text, an identifier, a line of a document. */
type Passage = { line: number; text: string }

/** Our private dialect, and what to write in its place. A pattern meets lower-case text, and identifiers split into words. */
const banned: [pattern: RegExp, instead: string][] = [
  [/\banew\b/, '"again"'],
  [/\bwhoever\b/, 'name the person or the program'],
  [/\bnobody(['’]s|s\b)|\bof nobody\b/, 'say that it has no owner'],
  [/\b(by|of) which\b/, 'two sentences'],
  [/\b(by what|what of)\b/, 'name the thing'],
  [/\bshall\b/, '"must", "should" or the present tense'],
  [/\b(go|goes|going|gone|went) on\b/, '"continue"'],
  [/\b(stand|stands|stood)\b(?! (in )?for\b)/, '"is"'],
  [/\b(is|are|was|were) none\b/, '"does not exist", "there is no ..."'],
  [/\btold\b/, '"reported", "notified", "known"'],
  [/\bletters?\b/, '"e-mail"'],
  [/\bpapers?\b/, '"documentation"'],
  [/\bwords?\b/, '"status", "text", "mnemonic"'],
  [/\bbeside\b/, '"alongside", "in addition to"'],
  [/\bof its own\b/, '"its own ..." or "separate"'],
  [/\bgood\b/, '"valid", "final"'],
  [/\bturns? to\b/, '"contact"'],
  [/\bthere (is|are) not\b/, '"missing", "unknown"'],
]

/** What breaks and banks' bookings are not: of both, "reversed" and "withdrawn" are said. */
const bannedAtBanks: [pattern: RegExp, instead: string][] = [
  [
    /\b(take|taken|taking|took)( a booking| a deposit| it| the booking| them)? back\b/,
    '"reverse" of a deposit, "withdraw" of a booking',
  ],
]
const atBanks =
  /^(src\/rails\/iso20022\/|src\/exchange\/(reconciliation\/|(actions\/breaks|operations\/withdraw-booking)\.ts)|docs\/operator\/(bank|reconciliation)\.md)/

/** What the list means something else by, in lower case. */
const allowed: RegExp[] = [
  /\b(upper|lower|small|capital|latin|first|last|one|two|three|four|\d+)[ -](case )?letters?\b/g,
  /\bletters? (case|and|or|by|to)\b|\b(and|or|no|of) letters\b|\bletters, digits\b|\b(random|sixteen) letters\b|\bletters of byte\b/g,
  /\b(yellow|white) ?papers?\b/g,
  /\b(key|pass|cross)word?s?\b/g,
  /\bgood (reason|practice|idea|faith)\b/g,
  /\bgo(es)? on hold\b/g,
  /\brefund-unknown-word\b/g,
  /\b\d+-word mnemonic\b/g,
  /\bthere (is|are|was|were) none\b/g,
  /\bletter-spacing\b/g,
  /\bnpm test -- papers\b/g,
  /^words$/g, // a field of `stuck --json`
  /\brefund-unknown-word\b/g, // the stable name of a scenario
]

/** Where letters are those of an alphabet, and words those of bech32. */
const spelling = /^src\/reference\/(addresses|bank)\//

/** A past participle is not the name of a thing. */
const participle =
  /(?<![a-z])(Told|Asked|Made|Kept|Held|Said|Happened|Decided|Found|Maybe|Known|Given|Shown|Taken|Sent|Paid|Done|Seen|Meant|Written|Chosen|Left|Brought|Drawn|Put|Wanted|Named|Sided|Priced|Closed|Finished|Recorded|Failed|Passed|Prepared|Signed|Settled|Moved)$/

/** What the vocabulary covers. */
export const isCovered = (path: string): boolean =>
  /\.(tsx?|js|md|yaml)$/.test(path) || path === 'assets/languages/en.json'

/** Offences of one file against the vocabulary, each with its line. */
export function dialect(path: string, text: string): string[] {
  const isCode = /\.(tsx?|js)$/.test(path)
  const passages = isCode ? passagesOf(path, text) : linesOf(text)
  const name = { line: 0, text: path.replace(/\.[a-z.]+$/, '').replaceAll(/[-/]/g, ' ') }
  return [
    ...[name, ...passages].flatMap((passage) => complaintsOf(path, passage)),
    ...(isCode ? badTypeNames(path, text) : []),
  ]
}

function complaintsOf(path: string, { line, text }: Passage): string[] {
  const isSpelling = spelling.test(path)
  const plain = allowed.reduce((left, one) => left.replaceAll(one, ' '), text.toLowerCase())
  const all = atBanks.test(path) ? [...banned, ...bannedAtBanks] : banned
  return all.flatMap(([pattern, instead]) => {
    const found = pattern.exec(plain)
    if (isSpelling && /^(letter|word)s?$/.test(found?.[0] ?? '')) return []
    return found ? [`${path}:${line}: "${found[0]}": say ${instead}`] : []
  })
}

/** A document's prose: code blocks and code spans are left out. */
function linesOf(text: string): Passage[] {
  const prose = text.replaceAll(/^```[^]*?^```/gm, (block) => block.replaceAll(/[^\n]/g, ''))
  return prose.split('\n').map((line, index) => ({ line: index + 1, text: line.replaceAll(/`[^`]*`/g, '') }))
}

type Span = { start: number; end: number }
type Node = Span & { type: string; [key: string]: unknown }

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

function passagesOf(path: string, text: string): Passage[] {
  const { program, comments } = parseSync(path, text)
  const lineAt = (at: number): number => text.slice(0, at).split('\n').length
  const passages = comments.map(({ start, value }) => ({
    line: lineAt(start),
    text: value.replaceAll(/\s*\n\s*\*?/g, ' '),
  }))
  const names = new Set<string>()
  walk(program, (node, isSql) => {
    const { type } = node
    if (type === 'Identifier' || type === 'JSXIdentifier') {
      const name = String(node.name)
      if (names.has(name) || name.includes('_')) return
      names.add(name)
      passages.push({ line: lineAt(node.start), text: name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2') })
    }
    const prose = proseOf(node)
    if (!isSql && /\s/.test(prose.trim())) passages.push({ line: lineAt(node.start), text: prose })
  })
  return passages
}

function proseOf({ type, value }: Node): string {
  if (type === 'TemplateElement') return (value as { raw: string }).raw
  return (type === 'Literal' || type === 'JSXText') && typeof value === 'string' ? value : ''
}

/** Visits every node, and says which lie in a statement of SQL. */
function walk(node: unknown, visit: (node: Node, isSql: boolean) => void, isSql = false): void {
  if (!isNode(node)) return
  visit(node, isSql)
  const tag = isNode(node.tag) ? (isNode(node.tag.property) ? node.tag.property : node.tag).name : undefined
  for (const [key, value] of Object.entries(node)) {
    const inside = isSql || (key === 'quasi' && (tag === 'sql' || tag === 'send'))
    for (const child of Array.isArray(value) ? value : [value]) walk(child, visit, inside)
  }
}

function badTypeNames(path: string, text: string): string[] {
  return [...text.matchAll(/^ *(?:export )?(?:type|interface) (\w+)/gm)].flatMap(({ 1: name = '', index }) =>
    participle.test(name)
      ? [`${path}:${text.slice(0, index).split('\n').length}: "${name}": a type is a noun of the subject`]
      : [],
  )
}

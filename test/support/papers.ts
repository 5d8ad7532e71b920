import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { filesBelow, projectFolder } from './source.ts'

const atTop = ['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'STYLE.md']

/** Every page that people read, by its path. */
export const papers = [...atTop, ...filesBelow('docs').filter((path) => path.endsWith('.md'))]

/** A page, or any other file of the project, as text. */
export const read = (path: string): string => readFileSync(join(projectFolder, path), 'utf8')

const fences = /^```(\w*)\n([\s\S]*?)^```$/gm

/** The fenced blocks of one language on a page; the language of a text is `text`. */
export const blocksOf = (path: string, language: string): string[] =>
  [...read(path).matchAll(fences)].filter(([, kind]) => kind === language).map(([, , text = '']) => text)

/** A page without its fenced blocks: what is said, not what is typed. */
export const wordsOf = (path: string): string => read(path).replace(fences, '')

/** What stands between backticks in the text and the tables of a page. */
export const spansOf = (path: string): string[] =>
  [...wordsOf(path).matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span)

/** The part of a page below one of its headings, to the next one. */
export const below = (path: string, heading: string): string =>
  read(path).split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''

/** The cells of the rows of a text's one table, without its head. */
export const rowsOf = (text: string): string[][] =>
  [...text.matchAll(/^\|(.+)\|$/gm)].slice(2).map(([, row = '']) => row.split('|').map((cell) => cell.trim()))

/** The anchors of a page's headings, as code hosts make them. */
export const anchorsOf = (path: string): string[] =>
  [...wordsOf(path).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )

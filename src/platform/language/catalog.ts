import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import type english from '../../../assets/languages/en.json'
import { projectRoot } from '../lib/root.ts'

export type TextKey = keyof typeof english

/** The key of a text with plural forms, which are stored with the plural category as suffix (`.one`, `.few`, `.other`). */
export type CountedKey = TextKey extends infer Key ? (Key extends `${infer Stem}.one` ? Stem : never) : never

/**
 * All texts of one language by key: a flat JSON file that a translator can edit. `{name}` is filled in; a text never contains
 * markup. A text with a number has one entry for each of the language's Unicode plural categories.
 */
export type Catalog = Readonly<Record<string, string>>

const folder = join(projectRoot, 'assets/languages')

/**
 * French sets a non-breaking space before some punctuation: a narrow one before that of a sentence, a full one before the colon
 * (Imprimerie nationale, Lexique des règles typographiques). Translators type a plain space.
 */
const withFrenchSpaces = (text: string): string => text.replace(/ (?=[;!?])/g, '\u202F').replace(/ (?=:)/g, '\u00A0')

/** The catalogs by language (`en`, `de`): one file each in assets/languages, read once. */
export const catalogs: ReadonlyMap<string, Catalog> = new Map(
  readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => {
      const tag = file.slice(0, -'.json'.length)
      const text = readFileSync(join(folder, file), 'utf8')
      return [tag, JSON.parse(tag === 'fr' ? withFrenchSpaces(text) : text) as Catalog]
    }),
)

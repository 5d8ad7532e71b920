import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import type english from '../../../assets/languages/en.json'
import { projectRoot } from '../lib/root.ts'

/** The place of a text in the catalogs. */
export type TextKey = keyof typeof english

/** A text that follows a number: its forms stand under this key and the plural's own word (`.one`, `.few`, `.other`). */
export type CountedKey = TextKey extends infer Key ? (Key extends `${infer Stem}.one` ? Stem : never) : never

/**
 * Every text of one language, by its place: a flat JSON file that a translator can edit. `{name}` is filled in; a text never
 * holds markup. Where a text follows a number there is one for each plural of the language, as Unicode names them.
 */
export type Catalog = Readonly<Record<string, string>>

const folder = join(projectRoot, 'assets/languages')

/**
 * French sets a space before some signs, at which no line may break: a narrow one before those of a sentence, a whole one before
 * the colon (Imprimerie nationale, Lexique des règles typographiques). Translators type a plain one.
 */
const withFrenchSpaces = (text: string): string => text.replace(/ (?=[;!?])/g, '\u202F').replace(/ (?=:)/g, '\u00A0')

/** The catalogs that there are, by language (`en`, `de`): one file each in assets/languages. Read once. */
export const catalogs: ReadonlyMap<string, Catalog> = new Map(
  readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => {
      const tag = file.slice(0, -'.json'.length)
      const text = readFileSync(join(folder, file), 'utf8')
      return [tag, JSON.parse(tag === 'fr' ? withFrenchSpaces(text) : text) as Catalog]
    }),
)

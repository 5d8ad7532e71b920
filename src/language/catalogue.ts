import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import type english from '../../assets/languages/en.json'
import { projectRoot } from '../lib/root.ts'

/** The place of a text in the catalogues. */
export type TextKey = keyof typeof english

/** A text that follows a number: its forms stand under this key and the plural's own word (`.one`, `.few`, `.other`). */
export type CountedKey = TextKey extends infer Key ? (Key extends `${infer Stem}.one` ? Stem : never) : never

/**
 * Every text of one language, by its place: a flat JSON file that a translator can edit. `{name}` is filled in; a text never
 * holds markup. Where a text follows a number there is one for each plural of the language, as Unicode names them.
 */
export type Catalogue = Readonly<Record<string, string>>

const folder = join(projectRoot, 'assets/languages')

/** The catalogues that there are, by language (`en`, `de`): one file each in assets/languages. Read once. */
export const catalogues: ReadonlyMap<string, Catalogue> = new Map(
  readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => [file.slice(0, -'.json'.length), JSON.parse(readFileSync(join(folder, file), 'utf8')) as Catalogue]),
)

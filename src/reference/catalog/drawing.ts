import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { projectRoot } from '../../platform/lib/root.ts'

const folder = join(projectRoot, 'assets', 'logos')

/** The drawings of currencies and networks, read once: whole SVG files, by the name that `logo` of a currency or a network has. */
export const drawings: ReadonlyMap<string, string> = new Map(
  readdirSync(folder)
    .filter((file) => file.endsWith('.svg'))
    .map((file) => [file.slice(0, -'.svg'.length), readFileSync(join(folder, file), 'utf8')]),
)

/** A whole drawing, in two parts: what says how large it is and what it shows, and what is drawn on its 32 by 32 units. */
const whole = /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 32 32" [^>]*>([\s\S]*)<\/svg>\s*$/

/** The contents of a drawing of 32 by 32 units, for an `svg` of a page. Refuses an unknown name. */
export function strokesOf(logo: string): string {
  const strokes = whole.exec(drawings.get(logo) ?? '')?.[1]
  if (strokes === undefined) throw new Error(`There is no drawing ${logo} of 32 by 32 units.`)
  return strokes.trim()
}

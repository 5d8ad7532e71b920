import { badField } from '../../platform/lib/refusal.ts'
import { json, wrong } from './setting-value.ts'

/** How a partner's pages differ from ours. The pages ensure contrast (src/doors/ui/theme.ts), whatever the colors. */
export type Theme = {
  /** What customers read above the pages, where it is not the account's name. */
  name?: string
  /** The color of buttons, links and marks, `#rrggbb`. Each scheme uses the nearest shade of it that can be read. */
  accent?: string
  /** How round the corners are, in CSS pixels. */
  corner?: number
  /** A picture as a data URI: PNG, JPEG or WebP. */
  logo?: string
}

const longestName = 60
const widestCorner = 24
/** Customers on a slow line wait for it. */
const largestLogo = 48 * 1_024

/** The first bytes of each kind of image. */
const signatures: readonly (readonly [type: string, begins: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
]

/** Reads a theme from its JSON. Refuses a name for which there is nothing, and a value that it cannot have. */
export function readTheme(text: string): Theme {
  const given = json(text, 'theme')
  const known: Record<string, (value: unknown) => boolean> = {
    name: (value) =>
      typeof value === 'string' && value.trim() !== '' && value.length <= longestName && !/[\p{C}<>]/u.test(value),
    accent: (value) => typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value),
    corner: (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= widestCorner,
    logo: (value) => typeof value === 'string' && logoOf({ logo: value }) !== undefined,
  }
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(known, name)) throw wrong('theme', `takes ${Object.keys(known).join(', ')}, not ${name}.`)
    if (!known[name]?.(value)) throw badField(name, `theme: ${faults[name] ?? 'cannot be read.'}`)
  }
  return given
}

const faults: Record<string, string> = {
  name: `has a name of at most ${longestName} characters.`,
  accent: 'has an accent that is a color such as #0a7cff.',
  corner: `has a corner of 0 to ${widestCorner} pixels.`,
  logo: `has a logo that is a data URI of a PNG, JPEG or WebP of at most ${largestLogo / 1_024} kB.`,
}

/** The image of a theme; undefined if it has none. Its type follows from its bytes, not from its name. */
export function logoOf({ logo }: Pick<Theme, 'logo'>): { type: string; bytes: Buffer } | undefined {
  const [, data] = /^data:image\/(?:png|jpeg|webp);base64,([A-Za-z0-9+/]+={0,2})$/.exec(logo ?? '') ?? []
  if (data === undefined) return undefined
  const bytes = Buffer.from(data, 'base64')
  const type = signatures.find(([, begins]) => begins.test(bytes.subarray(0, 16).toString('latin1')))?.[0]
  return type === undefined || bytes.length > largestLogo ? undefined : { type, bytes }
}

import type { Theme } from '../../exchange/partners/theme.ts'

/** A color, each part from 0 to 255. */
type Color = readonly [red: number, green: number, blue: number]

/** The backgrounds of each scheme behind text in the accent color, the page first. From styles/color.css. */
const schemes = {
  light: { page: '#f4f6f4', surface: '#ffffff', towards: '#000000', tint: 0.1 },
  dark: { page: '#0e1412', surface: '#18201d', towards: '#ffffff', tint: 0.16 },
} as const

/** What WCAG 2.2 asks of text (1.4.3). */
const leastContrast = 4.5

/**
 * The style sheet of a theme: the nearest legible shade of the accent for each scheme, the text color on it, and the
 * corners. For any color, text has a contrast of at least 4.5.
 */
export function themeSheet({ accent, corner }: Pick<Theme, 'accent' | 'corner'>): string {
  const round = corner === undefined ? '' : `:root{--corner:${corner}px;--corner-small:${Math.ceil(corner / 2)}px}\n`
  if (accent === undefined) return round
  const dark = rolesOf(accent, 'dark')
  const byDevice = `@media (prefers-color-scheme:dark){:root:not([data-theme='light']){${dark}}}`
  return `${round}:root{${rolesOf(accent, 'light')}}\n${byDevice}\n:root[data-theme='dark']{${dark}}\n`
}

function rolesOf(accent: string, scheme: keyof typeof schemes): string {
  const { page, surface, towards, tint } = schemes[scheme]
  const wanted = colorOf(accent)
  for (let step = 0; step <= steps; step += 1) {
    const shade = mixed(wanted, colorOf(towards), step / steps)
    const ground = mixed(colorOf(surface), shade, tint)
    const grounds = [colorOf(page), colorOf(surface), ground]
    const strong = mixed(shade, colorOf(towards), 0.22)
    const on = contrast(colorOf('#ffffff'), shade) >= contrast(colorOf('#000000'), shade) ? '#ffffff' : '#000000'
    const isReadable = grounds.every((one) => contrast(shade, one) >= leastContrast)
    const isWritable = [shade, strong].every((one) => contrast(colorOf(on), one) >= leastContrast)
    if (!isReadable || !isWritable) continue
    return `--accent:${textOf(shade)};--accent-strong:${textOf(strong)};--on-accent:${on};--tint:${textOf(ground)}`
  }
  return ''
}

const steps = 50

const colorOf = (hex: string): Color => {
  const part = (at: number) => Number.parseInt(hex.slice(at, at + 2), 16)
  return [part(1), part(3), part(5)]
}

const textOf = (color: Color): string => `#${color.map((part) => part.toString(16).padStart(2, '0')).join('')}`

const mixed = (one: Color, other: Color, share: number): Color => {
  const part = (at: 0 | 1 | 2) => Math.round(one[at] + (other[at] - one[at]) * share)
  return [part(0), part(1), part(2)]
}

/** The contrast of two colors, from 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrast(one: Color, other: Color): number {
  const [a, b] = [luminance(one), luminance(other)]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

/** WCAG 2.2, "relative luminance". */
function luminance(color: Color): number {
  const [red = 0, green = 0, blue = 0] = color.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

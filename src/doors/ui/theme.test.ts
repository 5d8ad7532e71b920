import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { contrast, themeSheet } from './theme.ts'

const colorIn = (sheet: string, role: string): [number, number, number] => {
  const hex = new RegExp(`--${role}:#([0-9a-f]{6})`).exec(sheet)?.[1] ?? assert.fail(`${role} is missing`)
  const part = (at: number) => Number.parseInt(hex.slice(at, at + 2), 16)
  return [part(0), part(2), part(4)]
}

/** The quiet text color of each scheme, used on the accent's tint as well. From styles/color.css. */
const soft: [number, number, number][] = [
  [0x51, 0x60, 0x5a],
  [0xa2, 0xb2, 0xab],
]

const grounds: [number, number, number][][] = [
  [
    [0xf4, 0xf6, 0xf4],
    [0xff, 0xff, 0xff],
  ],
  [
    [0x0e, 0x14, 0x12],
    [0x18, 0x20, 0x1d],
  ],
]

test('whatever accent a partner wants, text has a contrast of 4.5 in both schemes', () => {
  const part = fc.integer({ min: 0, max: 255 })
  fc.assert(
    fc.property(part, part, part, (red, green, blue) => {
      const accent = `#${[red, green, blue].map((one) => one.toString(16).padStart(2, '0')).join('')}`
      const sheets = themeSheet({ accent }).split('@media')
      assert.equal(sheets.length, 2)
      for (const [index, sheet] of sheets.entries()) {
        const shade = colorIn(sheet, 'accent')
        const strong = colorIn(sheet, 'accent-strong')
        for (const ground of [...(grounds[index] ?? []), colorIn(sheet, 'tint')]) {
          assert.ok(contrast(shade, ground) >= 4.5, `${accent} on ${ground.join()}`)
          assert.ok(contrast(strong, ground) >= 4.5, `${accent}, strong, on ${ground.join()}`)
        }
        const quiet = soft[index] ?? assert.fail('a scheme too many')
        assert.ok(contrast(quiet, colorIn(sheet, 'tint')) >= 4.5, `quiet text on the tint of ${accent}`)
        for (const one of [shade, strong]) assert.ok(contrast(colorIn(sheet, 'on-accent'), one) >= 4.5, `on ${accent}`)
      }
    }),
    {
      numRuns: 2_000,
      examples: [
        [255, 255, 255],
        [0, 0, 0],
        [255, 255, 0],
        [127, 127, 127],
        [0, 0, 255],
      ],
    },
  )
})

test('an accent that can be read as it is, is used as it is', () => {
  assert.match(themeSheet({ accent: '#0a50c8' }), /^:root\{--accent:#0a50c8;/)
  assert.equal(themeSheet({}), '')
  assert.equal(themeSheet({ corner: 0 }), ':root{--corner:0px;--corner-small:0px}\n')
})

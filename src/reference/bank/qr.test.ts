import assert from 'node:assert/strict'
import { test } from 'node:test'

import jsQr from 'jsqr'

import { makeReference } from './creditor-reference.ts'
import { epcQrText } from './epc-qr.ts'
import { accountFor } from '../../rails/bank-accounts.ts'
import { sandboxAccounts } from '../../sandbox/bank/our-accounts.ts'
import { pixCode } from './pix-code.ts'
import { qrSvg } from './qr.ts'

const reference = makeReference(new Uint8Array(16).fill(77))
const [euro, real] = [accountFor(sandboxAccounts, 'SEPA', 'EUR'), accountFor(sandboxAccounts, 'PIX', 'BRL')]
assert(euro && real)
const usual = [
  epcQrText({ ...euro, iban: euro.account, amount: 123456n, reference }),
  pixCode({ ...real, key: real.account, city: 'SAO PAULO', amount: 123456n, txid: reference }),
  'bitcoin:bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4?amount=0.12345678',
  'ethereum:0xdAC17F958D2ee523a2206206994597C13D831ec7@1/transfer?address=0x52908400098527886E0F7030069857D2E4169EE7&uint256=1e18',
]

test('a reader reads from the picture what was put into it, in under 5 kB', () => {
  for (const text of [...usual, 'ä€𝔄']) {
    const svg = qrSvg(text)
    assert.equal(scan(svg), text)
    assert(svg.length < 5000, `${text}: ${svg.length} bytes`)
  }
})

test('the picture is dark on white with a quiet zone of four modules, and has no script and no address', () => {
  for (const text of usual) {
    const svg = qrSvg(text)
    assert.match(svg, /^<svg [^<>]*><path fill="#fff" d="[^"<>]*"\/><path stroke="#000" d="[Mmh0-9. -]+"\/><\/svg>$/)
    assert.doesNotMatch(svg.replace('xmlns="http://www.w3.org/2000/svg"', ''), /script|href|url|http|on\w+=/)
    const { side, dark } = draw(svg)
    const edge = dark.filter(([x, y]) => x < 4 || y < 4 || x >= side - 4 || y >= side - 4)
    assert.deepEqual(edge, [])
    assert(dark.some(([x, y]) => x === 4 && y === 4))
  }
})

/** The dark modules by the rules of SVG paths, counted from the corner of the picture: M and m go somewhere, h draws. */
function draw(svg: string): { side: number; dark: [x: number, y: number][] } {
  const side = Number.parseInt(/viewBox="-4 -4.5 (\d+) \1"/.exec(svg)?.[1] ?? '', 10)
  const path = /stroke="#000" d="([^"]*)"/.exec(svg)?.[1] ?? ''
  const dark: [number, number][] = []
  let [x, y] = [0, 0]
  for (const [, command, first = '', second = ''] of path.matchAll(/([Mmh])(-?\d+)(?: (-?[\d.]+))?/g)) {
    const step = Number.parseInt(first, 10)
    if (command === 'M') [x, y] = [step + 4, Number.parseInt(second, 10) + 4]
    if (command === 'm') x += step
    if (command === 'h') for (const end = x + step; x < end; x += 1) dark.push([x, y])
  }
  return { side, dark }
}

function scan(svg: string): string | undefined {
  const { side, dark } = draw(svg)
  const scale = 4
  const width = side * scale
  const pixels = new Uint8ClampedArray(width * width * 4).fill(255)
  for (const [x, y] of dark) {
    for (let row = y * scale; row < (y + 1) * scale; row += 1) {
      const start = (row * width + x * scale) * 4
      for (let at = start; at < start + scale * 4; at += 4) pixels.set([0, 0, 0], at)
    }
  }
  const read = jsQr.default(pixels, width, width)
  return read ? Buffer.from(read.binaryData).toString() : undefined
}

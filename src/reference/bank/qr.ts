import { encode } from 'uqr'

/** Modules of white around the code, without which cameras do not find it (ISO/IEC 18004). */
const quietZone = 4

/**
 * A QR code as SVG markup to put into a page: error correction M, dark on white whatever the page's colors, no script and
 * nothing fetched. It has no fixed size; one module is one unit. Hidden from screen readers, because the page shows the same as
 * text. Throws when the text has more than 2,331 bytes.
 */
export function qrSvg(text: string): string {
  const { data, size } = encode(text, { ecc: 'M', border: 0 })
  const side = size + 2 * quietZone
  const [left, top] = [-quietZone, -quietZone - 0.5]
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${left} ${top} ${side} ${side}" shape-rendering="crispEdges" aria-hidden="true">` +
    `<path fill="#fff" d="M${left} ${top}h${side}v${side}h-${side}z"/>` +
    `<path stroke="#000" d="${data.map(drawRow).join('')}"/></svg>`
  )
}

/** One row as strokes of one unit's width along its middle: each run of dark modules is a line, the rest is jumped over. */
function drawRow(row: boolean[], y: number): string {
  const dots = row.map((dark) => (dark ? '1' : '0')).join('')
  let at = 0
  return Array.from(dots.matchAll(/1+/g), ({ 0: run, index }, nth) => {
    const start = nth === 0 ? `M${index} ${y}` : `m${index - at} 0`
    at = index + run.length
    return `${start}h${run.length}`
  }).join('')
}

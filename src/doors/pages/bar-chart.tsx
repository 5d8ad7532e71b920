/** One bar: its name under the chart, its height, and the value as people read it. */
export type Bar = { name: string; value: bigint; text: string }

const [width, height, gap] = [640, 160, 4]

/**
 * Bars above and below zero, drawn by the server. The values are in the table behind it, which the caller shows: the picture is
 * for the eye only, and hidden from readers of the page.
 */
export function BarChart({ bars, label }: { bars: readonly Bar[]; label: string }) {
  if (bars.length === 0) return null
  const values = bars.map(({ value }) => value)
  const [top, bottom] = [largest([0n, ...values]), -largest([0n, ...values.map((value) => -value)])]
  const range = top - bottom || 1n
  /** A distance from the top, in tenths of a pixel. */
  const at = (value: bigint): number => Number.parseInt(String(((top - value) * BigInt(height * 10)) / range), 10) / 10
  const step = width / bars.length
  return (
    <figure class="chart">
      <figcaption>{label}</figcaption>
      <svg viewBox={`0 0 ${width} ${height + 20}`} aria-hidden="true" focusable="false">
        {bars.map(({ name, value, text }, index) => {
          const [from, to] = value >= 0n ? [at(value), at(0n)] : [at(0n), at(value)]
          return (
            <g key={name}>
              <rect
                class={value < 0n ? 'loss' : 'gain'}
                x={index * step + gap / 2}
                y={from}
                width={Math.max(1, step - gap)}
                height={Math.max(1, to - from)}
              >
                <title>{`${name}: ${text}`}</title>
              </rect>
              <text x={index * step + step / 2} y={height + 15} text-anchor="middle">
                {name.slice(-2)}
              </text>
            </g>
          )
        })}
        <line x1="0" x2={width} y1={at(0n)} y2={at(0n)} />
      </svg>
    </figure>
  )
}

const largest = (values: readonly bigint[]): bigint => values.reduce((one, other) => (one > other ? one : other))

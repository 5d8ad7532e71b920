import type { ComponentChildren } from 'preact'

/** A table with a heading for every column, or a sentence where there is nothing to list. */
export function Table({
  caption,
  columns,
  rows,
  empty,
  rowData,
}: {
  caption: string
  columns: readonly string[]
  rows: readonly (readonly ComponentChildren[])[]
  empty: string
  /** `data-` attributes of a row, for programs. */
  rowData?: (index: number) => Readonly<Record<`data-${string}`, string>>
}) {
  if (rows.length === 0) return <p class="hint">{empty}</p>
  return (
    <div class="scroll" role="region" aria-label={`Table: ${caption}`} tabIndex={0}>
      <table>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index} {...rowData?.(index)}>
              {row.map((cell, at) => (
                <td key={at}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** An amount in whole units of an asset, for people and programs. */
export const Amount = ({ amount, asset }: { amount: string; asset: string }) => (
  <span class="amount" data-amount={amount} data-asset={asset}>
    {grouped(amount)} <small>{nameOf(asset)}</small>
  </span>
)

/** `BTC-BTC` as BTC, `USDT-TRX` as USDT on TRX: the network is named where the ticker does not say it. */
const nameOf = (asset: string): string => {
  const [ticker = '', network = ''] = asset.split('-')
  return network === ticker || network === '' ? ticker : `${ticker} on ${network}`
}

/** Every three digits before the point apart. */
const grouped = (text: string): string => {
  const [whole = '', fraction] = text.split('.')
  const spaced = whole.replaceAll(/\B(?=(\d{3})+$)/g, '\u202f')
  return fraction === undefined ? spaced : `${spaced}.${fraction}`
}

/** A moment in UTC. */
export const Moment = ({ at }: { at: Date }) => (
  <time dateTime={at.toISOString()}>{`${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`}</time>
)

/** How long something has lasted, in the largest unit that fits. */
export function duration(ms: number): string {
  const minutes = Math.max(0, Math.trunc(ms / 60_000))
  if (minutes < 60) return `${minutes} min`
  if (minutes < 48 * 60) return `${Math.trunc(minutes / 60)} h`
  return `${Math.trunc(minutes / 1_440)} days`
}

/** A status with its details, as a small label. */
export const StatusLabel = ({ status, details }: { status: string; details?: string | null }) => (
  <span class={`status status-${status}`}>{spaced(details ? `${status}: ${details}` : status)}</span>
)

/** `waiting_for_deposit` with spaces. */
export const spaced = (text: string): string => text.replaceAll('_', ' ')

/** Names and values, one a line. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

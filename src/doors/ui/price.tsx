import type { ComponentChildren } from 'preact'

import { breakable } from './copy.tsx'

type RowProps = { name: string; note?: string; value: string }

/** One line of a price. */
export function Row({ name, note, value }: RowProps) {
  return (
    <div class="row">
      <dt>
        {name} {note === undefined ? null : <span class="note">{note}</span>}
      </dt>
      <dd>{breakable(value)}</dd>
    </div>
  )
}

type EndRowProps = {
  name: string
  note?: string
  value: string
  /** The same for programs: a plain decimal with every digit. */
  plain: string
  mark: ComponentChildren
  /** What is promised of the amount; absent for what was agreed. */
  price?: 'fixed' | 'provisional'
}

/** What is paid or received, with the currency's logo and the payment method. */
export function EndRow({ name, note, value, plain, mark, price }: EndRowProps) {
  return (
    <div class="row end">
      <dt>{name}</dt>
      <dd>
        {mark}
        <span data-amount={plain} data-price={price}>
          {breakable(value)}
        </span>
      </dd>
      {note === undefined ? null : <dd class="note">{note}</dd>}
    </div>
  )
}

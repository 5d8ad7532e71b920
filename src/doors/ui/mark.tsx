import type { Listing } from '../../reference/catalog/asset.ts'
import { strokesOf } from '../../reference/catalog/drawing.ts'
import { type Category, findPaymentCategory } from '../../reference/catalog/payment-category.ts'

/**
 * The logo of a currency, with its chain's logo where that is a different one. Its name is next to it. It is drawn inline: two
 * small files would cost a page on a slow connection two round trips, and delay what else it loads.
 */
export function CurrencyMark({ currency, network }: Listing) {
  const own = currency.logo
  const place = network.chain && network.logo !== own ? network.logo : undefined
  return (
    <span class="currency-mark" aria-hidden="true">
      <Drawing logo={own} size={20} />
      {place === undefined ? null : <Drawing logo={place} size={12} />}
    </span>
  )
}

/** Its text runs from left to right whatever the page does: `R$` would be drawn as `$R`. */
const Drawing = ({ logo, size }: { logo: string; size: number }) => (
  <svg
    viewBox="0 0 32 32"
    width={size}
    height={size}
    direction="ltr"
    focusable="false"
    dangerouslySetInnerHTML={{ __html: strokesOf(logo) }}
  />
)

/** The icon of a payment method: a card, a device, a bank, a coin. */
const drawings = {
  card: 'M3 6.5h18v11H3zM3 10.5h18M6 14.5h4',
  device: 'M7.5 3h9v18h-9zM11 18h2',
  bank: 'M3.5 9.5 12 4l8.5 5.5zM6 9.5v8M10 9.5v8M14 9.5v8M18 9.5v8M3.5 20h17',
  coin: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 8v8M8.5 12h7',
} as const

const drawingOf = (category: Category): keyof typeof drawings => {
  if (category === 'VISA_MC') return 'card'
  if (category === 'OPEN_BANKING' || category === 'PSE') return 'bank'
  const flow = findPaymentCategory(category)?.flow
  return flow === 'page' ? 'device' : flow === 'coin' ? 'coin' : 'bank'
}

/** The icon of a payment method; its name is next to it, so it is hidden from screen readers. */
export const MethodMark = ({ category }: { category: Category }) => (
  <svg class="method-mark" viewBox="0 0 24 24" width={24} height={24} aria-hidden="true" focusable="false">
    <path d={drawings[drawingOf(category)]} />
  </svg>
)

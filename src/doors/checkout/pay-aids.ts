import type { CheckoutView, PayToKind } from '../../exchange/orders/checkout-view.ts'
import type { PayButton } from './notices.ts'

/** What makes paying easier. All of it says what stands on the page as text, too. */
export type PayAids = {
  /** A QR code as SVG markup. */
  qr?: string
  /** A link that opens a wallet. */
  uri?: string
  /** A text that a bank's app takes whole (Pix). */
  code?: string
  button?: PayButton | undefined
}

/** What a Pix code must name besides the account. Payers are shown whose key it is by the central bank's directory. */
const pixCity = 'Brasilia'

/** Makes them, for the page alone, for the place that a transaction is paid to. What draws codes is loaded when the first one is drawn. */
export async function payAidsOf(view: CheckoutView): Promise<PayAids> {
  const { payTo } = view
  if (!payTo || payTo.kind === 'page') return {}
  if (payTo.kind === 'address') return coinAids(view, payTo)
  const text = await bankText(view, payTo)
  if (text === undefined) return {}
  return { ...(await drawn(text)), ...(view.deposit.category === 'PIX' ? { code: text } : {}) }
}

async function coinAids(
  { from, fromAmount }: Pick<CheckoutView, 'from' | 'fromAmount'>,
  { address, extraId }: PayToKind<'address'>,
): Promise<PayAids> {
  const { chain, contract } = from.network
  if (!chain) throw new Error('Coins are sent on a chain.')
  const { paymentUri } = await import('../../reference/addresses/payment-uri.ts')
  const { family, caip2 } = chain
  const coin = { family, caip2, contract, decimals: from.asset.decimals }
  const uri = paymentUri(coin, { address, extraId, amount: fromAmount })
  return { ...(await drawn(uri)), ...(uri === address ? {} : { uri }) }
}

/** What a bank's app reads from a code; undefined where its banks have no such code. */
async function bankText(
  { from, fromAmount, deposit }: Pick<CheckoutView, 'from' | 'fromAmount' | 'deposit'>,
  { holder, account, bic, reference }: PayToKind<'account'>,
): Promise<string | undefined> {
  if (deposit.category === 'SEPA' && from.asset.ticker === 'EUR') {
    const { epcQrText } = await import('../../reference/bank/epc-qr.ts')
    return epcQrText({ holder, iban: account, bic, amount: fromAmount, reference })
  }
  if (deposit.category !== 'PIX') return undefined
  const { pixCode } = await import('../../reference/bank/pix-code.ts')
  return pixCode({ key: account, holder, city: pixCity, amount: fromAmount, txid: reference })
}

async function drawn(text: string): Promise<{ qr: string }> {
  const { qrSvg } = await import('../../reference/bank/qr.ts')
  return { qr: qrSvg(text) }
}

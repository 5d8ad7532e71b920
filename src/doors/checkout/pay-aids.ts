import type { Ctx } from '../../exchange/context.ts'
import type { CheckoutView, PayToKind } from '../../exchange/orders/checkout-view.ts'
import { orderAgain } from './again.ts'
import type { PayButton } from './notices.ts'
import type { Visit } from './visit.ts'

/** QR codes and links that make paying easier. The page shows the same details as text. */
export type PayAids = {
  /** A QR code as SVG markup. */
  qr?: string
  /** A link that opens a wallet. */
  uri?: string
  /** A code that a bank's app takes as a whole (Pix). */
  code?: string
  button?: PayButton | undefined
  /** A link to the same exchange once more. */
  again?: string | undefined
}

/** Required in a Pix code. Payers see the account holder from the central bank's directory. */
const pixCity = 'Brasilia'

/** What the page of a step can do more than show texts. */
export async function aidsOf(ctx: Ctx, view: CheckoutView, step: Visit['step']): Promise<PayAids> {
  if (step === 'pay') return payAidsOf(view)
  return step === 'done' ? { again: await orderAgain(ctx, view) } : {}
}

/** Makes them for an order's payment details. The QR encoder is loaded when first needed. */
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

/** The content of a bank's QR code; undefined where banks have none. */
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

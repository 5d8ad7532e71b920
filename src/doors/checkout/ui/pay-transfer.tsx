import type { PayToKind } from '../../../exchange/orders/checkout-view.ts'
import type { Page, PageProps } from '../page.ts'
import { breakable, Give } from '../../ui/copy.tsx'
import { Deadlines } from './deadlines.tsx'
import { AccountRows, AmountRow } from './pay-to.tsx'
import { QrCode } from '../../ui/qr.tsx'
import { methodName } from '../../ui/method-name.ts'

import { AfterPaying } from './after-paying.tsx'

/** Payment details for a bank transfer: our account and the reference, each with a copy button, and a QR code. */
export function transferPage(props: PageProps, payTo: PayToKind<'account'>): Page {
  const { visit, language, aids } = props
  const { say, amount } = language
  const { from, fromAmount, deposit } = visit.view
  const isPix = deposit.category === 'PIX'
  return {
    title: say('transfer.title', { amount: breakable(amount(fromAmount, from)) }),
    body: (
      <>
        <p class="lead">
          {isPix ? say('transfer.pix') : say('transfer.lead', { method: methodName(deposit.category, language) })}
        </p>
        <Deadlines {...props} />
        <div class="paying">
          <dl class="gives">
            <AmountRow {...props} name={say('transfer.amount')} amount={fromAmount} />
            {isPix ? <PixCode {...props} /> : <AccountRows {...props} payTo={payTo} />}
          </dl>
          <QrCode svg={aids.qr} says={say('transfer.scan')} />
        </div>
        {isPix ? (
          <details>
            <summary>{say('transfer.byHand')}</summary>
            <dl class="gives">
              <AccountRows {...props} payTo={payTo} />
            </dl>
          </details>
        ) : null}
        <AfterPaying {...props} />
      </>
    ),
  }
}

/** A Pix code contains all details; those to type by hand are collapsed below. */
function PixCode({ aids, language }: PageProps) {
  if (aids.code === undefined) return null
  return (
    <Give name={language.say('transfer.pixCode')} copies={aids.code} language={language}>
      <code dir="ltr" class="address take">
        {aids.code}
      </code>
    </Give>
  )
}

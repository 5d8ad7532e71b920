import type { PayToKind } from '../../../exchange/orders/checkout-view.ts'
import type { Page, PageProps } from '../page.ts'
import { breakable } from '../../ui/copy.tsx'
import { Deadlines } from './deadlines.tsx'
import { memoName } from './memo-name.ts'
import { CoinRows } from './pay-to.tsx'
import { Notice } from '../../ui/notice.tsx'
import { QrCode } from '../../ui/qr.tsx'
import { AfterPaying } from './after-paying.tsx'

/** Payment details for coins: network, amount, address and memo, each with a copy button, and a QR code. */
export function coinPage(props: PageProps, payTo: PayToKind<'address'>): Page {
  const { visit, language, aids } = props
  const { say, amount } = language
  const { from, fromAmount } = visit.view
  const values = { asset: from.asset.ticker, network: from.network.name, amount: breakable(amount(fromAmount, from)) }
  const memo = memoName(from.network.chain?.memo, language)
  return {
    title: say('coin.title', values),
    body: (
      <>
        <p class="lead">{payTo.extraId === '' ? say('coin.lead') : say('coin.leadMemo', { memo })}</p>
        <Deadlines {...props} />
        <Notice kind="bad">{say('coin.only', values)}</Notice>
        <div class="paying">
          <dl class="gives">
            <CoinRows {...props} payTo={payTo} amount={fromAmount} />
          </dl>
          <QrCode svg={aids.qr} says={say('coin.scan')} />
        </div>
        {aids.uri === undefined ? null : (
          <p>
            <a class="button second" href={aids.uri}>
              {say('coin.open')}
            </a>
          </p>
        )}
        <p class="hint">{say('coin.whole')}</p>
        <AfterPaying {...props} />
      </>
    ),
  }
}

import { formatAmount } from '../../money/amount.ts'
import type { Page, PageProps, PayToKind } from '../page.ts'
import { Address } from '../ui/address.tsx'
import { breakable, Give } from '../../ui/copy.tsx'
import { Deadlines } from '../ui/deadlines.tsx'
import { Notice } from '../../ui/notice.tsx'
import { QrCode } from '../../ui/qr.tsx'
import { AfterPaying } from './after-paying.tsx'

/** Where to send coins: network, amount, address and memo, each to be copied, and a code to be scanned. */
export function coinPage(props: PageProps, payTo: PayToKind<'address'>): Page {
  const { visit, language, aids } = props
  const { say, amount } = language
  const { from, fromAmount } = visit.view
  const values = { asset: from.asset.ticker, network: from.network.name, amount: amount(fromAmount, from) }
  return {
    title: say('coin.title', values),
    body: (
      <>
        <p class="lead">{say(payTo.extraId === '' ? 'coin.lead' : 'coin.leadMemo', { memo: memoName(props) })}</p>
        <Deadlines {...props} />
        <Notice kind="bad">{say('coin.only', values)}</Notice>
        <div class="paying">
          <dl class="gives">
            <Give name={say('coin.network')} class="big" language={language}>
              {from.network.name}
            </Give>
            <Give
              name={say('coin.amount')}
              class="big"
              copies={formatAmount(fromAmount, from.asset)}
              language={language}
            >
              <span class="take">{breakable(amount(fromAmount, from))}</span>
            </Give>
            <Give name={say('coin.address', values)} copies={payTo.address} language={language}>
              <Address text={payTo.address} />
            </Give>
            {payTo.extraId === '' ? null : <Memo {...props} memo={payTo.extraId} />}
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

const memoName = ({ visit: { view } }: Pick<PageProps, 'visit'>): string =>
  view.from.network.chain?.memo?.name ?? 'Memo'

/** Loud: coins without it lie on an address that all customers share. */
function Memo({ visit, language, memo }: PageProps & { memo: string }) {
  const { say } = language
  const name = memoName({ visit })
  return (
    <Give
      name={say('coin.memo', { memo: name })}
      class="big loud"
      copies={memo}
      hint={say('coin.memoWarning', { memo: name })}
      language={language}
    >
      <code class="take">{memo}</code>
    </Give>
  )
}

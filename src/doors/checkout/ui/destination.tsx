import { formOf } from '../account-form.ts'
import type { PageProps } from '../page.ts'
import { mayChangeAddress } from '../step.ts'
import { Address } from './address.tsx'
import { Account } from './account.tsx'
import { capital, memoName } from './memo-name.ts'

/** Where the payout goes, in full, once more before payment. */
export function Destination(props: PageProps) {
  const { visit, language, home } = props
  const { say } = language
  const { view } = visit
  const isMoney = view.to.currency.kind === 'FIAT'
  return (
    <div class="destination">
      <h2>{isMoney ? say('pay.account') : say('pay.address', { network: view.to.network.name })}</h2>
      {isMoney ? (
        <Account
          form={formOf(view.payout.category)}
          account={view.payoutAddress ?? ''}
          bic={view.extraId ?? ''}
          holder={view.payoutHolder ?? ''}
          language={language}
        />
      ) : (
        <CoinAddress {...props} />
      )}
      <p class="hint">{say('pay.warning')}</p>
      {mayChangeAddress(view) ? (
        <a href={`${home}&ask=payout_address`}>{say(isMoney ? 'pay.changeAccount' : 'pay.change')}</a>
      ) : null}
    </div>
  )
}

function CoinAddress({ visit: { view }, language }: PageProps) {
  return (
    <>
      <Address text={view.payoutAddress ?? ''} />
      {view.extraId ? (
        <p>
          {capital(memoName(view.to.network.chain?.memo, language))} <strong>{view.extraId}</strong>
        </p>
      ) : null}
    </>
  )
}

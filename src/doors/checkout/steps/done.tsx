import type { CheckoutStep } from '../checkout-step.ts'
import { formOf } from '../account-form.ts'
import type { Page, PageProps } from '../page.ts'
import { Account } from '../ui/account.tsx'
import { Address } from '../ui/address.tsx'
import { capital, memoName } from '../ui/memo-name.ts'
import { BackLink, ProofLink, ReceiptLink } from '../ui/links.tsx'
import { methodName } from '../../ui/method-name.ts'
import { methodTime } from '../way-to-pay.ts'

/** The payout was sent. Its destination is shown only to a customer who has verified the e-mail address. */
export const done: CheckoutStep = {
  phase: 'delivery',
  page: donePage,
}

function donePage(props: PageProps): Page {
  const { visit, language } = props
  const { say, amount } = language
  const { view, customerId } = visit
  const isMoney = view.to.currency.kind === 'FIAT'
  const Whereabouts = isMoney ? AtTheBank : OnTheChain
  return {
    title: isMoney ? say('done.money') : say('done.title', { asset: language.currency(view.to.currency) }),
    body: (
      <>
        <svg class="seal" viewBox="0 0 48 48" aria-hidden="true" focusable="false">
          <circle cx="24" cy="24" r="24" />
          <path d="m14 25 7 7 14-15" />
        </svg>
        <dl class="facts">
          <dt>{say('done.amount')}</dt>
          <dd>
            <strong>{amount(view.toAmount, view.to)}</strong>
          </dd>
          <dt>{say('done.paid')}</dt>
          <dd>{amount(view.fromAmount, view.from)}</dd>
          {customerId === undefined ? null : <Whereabouts {...props} />}
        </dl>
        {isMoney ? <BankTime {...props} /> : <p>{say('done.next')}</p>}
        {view.email === null ? null : <p class="hint">{say('done.emailed')}</p>}
        <ReceiptLink {...props} />
        <ProofLink {...props} />
        <BackLink {...props} url={view.redirects.successful} />
        {props.aids.again === undefined ? null : (
          <p class="others">
            <a href={props.aids.again}>{say(`done.${view.quote.side}Again`)}</a>
          </p>
        )}
      </>
    ),
  }
}

function OnTheChain({ visit: { view }, language, notices }: PageProps) {
  const { say } = language
  const { payoutAddress, extraId, outputHash, explorerUrl, to } = view
  return (
    <>
      <dt>{say('done.address')}</dt>
      <dd>
        <Address text={payoutAddress ?? ''} />
        {extraId ? (
          <p>
            {capital(memoName(to.network.chain?.memo, language))} <strong>{extraId}</strong>
          </p>
        ) : null}
      </dd>
      {outputHash === null ? null : (
        <>
          <dt>{say('done.hash')}</dt>
          <dd>
            <code dir="ltr" class="address">
              {outputHash}
            </code>
            {explorerUrl === null ? null : (
              <a href={explorerUrl} rel="noreferrer">
                {say('done.explorer', { site: new URL(explorerUrl).host })}
              </a>
            )}
            {notices.coinPayout ? <p class="hint">{notices.coinPayout(language)}</p> : null}
          </dd>
        </>
      )}
    </>
  )
}

/** Bank transfers have no public page; customers can ask their bank about the reference. */
function AtTheBank({ visit: { view }, language, notices }: PageProps) {
  const { say } = language
  return (
    <>
      <dt>{say('done.address')}</dt>
      <dd>
        <Account
          form={formOf(view.payout.category)}
          account={view.payoutAddress ?? ''}
          bic={view.extraId ?? ''}
          holder={view.payoutHolder ?? ''}
          language={language}
        />
      </dd>
      <dt>{say('done.bankReference')}</dt>
      <dd>
        <code dir="ltr" class="address">
          {view.outputHash}
        </code>
        {notices.bankPayout ? <p class="hint">{notices.bankPayout(language)}</p> : null}
      </dd>
    </>
  )
}

function BankTime({ visit: { view }, language }: PageProps) {
  const time = methodTime(view.payout, language)
  if (time === undefined) return null
  const method = methodName(view.payout.category, language)
  return <p class="hint">{language.say('progress.bankHint', { method, time })}</p>
}

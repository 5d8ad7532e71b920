import type { Page, PageProps } from '../page.ts'
import { Address } from '../ui/address.tsx'
import { BackLink, ProofLink } from '../ui/links.tsx'

/** The coins are there. Where they went is shown to the one who has proven the e-mail address only. */
export function donePage(props: PageProps): Page {
  const { visit, language } = props
  const { say, amount } = language
  const { view, customerId } = visit
  return {
    title: say('done.title', { asset: view.to.asset.ticker }),
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
        <ProofLink {...props} />
        <BackLink {...props} url={view.redirects.successful} />
      </>
    ),
  }
}

function Whereabouts({ visit: { view }, language: { say }, isSandbox }: PageProps) {
  const { payoutAddress, outputHash, explorerUrl } = view
  return (
    <>
      <dt>{say('done.address')}</dt>
      <dd>
        <Address text={payoutAddress ?? ''} />
      </dd>
      <dt>{say('done.hash')}</dt>
      <dd>
        <code class="address">{outputHash}</code>
        {explorerUrl === null ? null : (
          <a href={explorerUrl} rel="noreferrer">
            {say('done.explorer', { site: new URL(explorerUrl).host })}
          </a>
        )}
        {isSandbox ? <p class="hint">{say('done.sandbox')}</p> : null}
      </dd>
    </>
  )
}

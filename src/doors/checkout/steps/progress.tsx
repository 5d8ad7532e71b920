import type { CheckoutStep } from '../checkout-step.ts'
import type { Page, PageProps } from '../page.ts'
import { ProofLink, RefreshLink } from '../ui/links.tsx'
import { Way } from '../ui/way.tsx'
import { methodName } from '../../ui/method-name.ts'
import { Notice } from '../../ui/notice.tsx'
import { methodTime } from '../way-to-pay.ts'

/** What has happened and what comes next, while the customer has nothing to do. */
export const progress: CheckoutStep = {
  phase: 'delivery',
  page: progressPage,
}

function progressPage(props: PageProps): Page {
  const { visit, language } = props
  const { say } = language
  const { to, isTaken, statusDetails } = visit.view
  const isMoney = to.currency.kind === 'FIAT'
  return {
    title: isMoney ? say('progress.money') : say('progress.title', { asset: language.currency(to.currency) }),
    body: (
      <>
        <p class="lead">{say('progress.lead')}</p>
        <Way
          label={say('progress.label')}
          now={isTaken ? 3 : 2}
          stages={[
            say('progress.paid'),
            say('progress.exchanged'),
            ...(isMoney ? bankStages(props) : coinStages(props)),
          ]}
        />
        {statusDetails === 'payout_unknown' ? (
          <Notice kind="plain">{say('hold.payout_unknown')}</Notice>
        ) : (
          <p class="hint">{isMoney ? bankTime(props) : coinTime(props)}</p>
        )}
        <ProofLink {...props} />
        <RefreshLink {...props} />
      </>
    ),
  }
}

/** Each stage is worded as pending, in progress, or done. */
function coinStages({ visit: { view }, language: { say } }: PageProps): string[] {
  const network = view.to.network.name
  return view.isTaken
    ? [say('progress.sent', { network }), say('progress.awaited')]
    : [say('progress.sending', { network }), say('progress.arrived')]
}

function bankStages({ visit: { view }, language: { say, amount } }: PageProps): string[] {
  const values = { amount: amount(view.toAmount, view.to) }
  return view.isTaken
    ? [say('progress.ordered', values), say('progress.bankAwaited')]
    : [say('progress.ordering', values), say('progress.accepted')]
}

function coinTime({ visit: { view }, language: { say, duration } }: PageProps): string {
  const { name: network, chain } = view.to.network
  const usualMs = (chain?.blockSeconds ?? 60) * 1_000
  return say('progress.sendingHint', { network, time: duration(Math.max(usualMs, 60_000)) })
}

function bankTime({ visit: { view }, language }: PageProps): string {
  const time = methodTime(view.payout, language)
  const method = methodName(view.payout.category, language)
  return time === undefined ? method : language.say('progress.bankHint', { method, time })
}

import type { Assets } from './assets.ts'
import { languages } from '../../platform/language/language.ts'
import { checkedSteps } from './check-field.ts'
import { isGivenBack } from './given-back.ts'
import type { Page, PageProps } from './page.ts'
import { billingPage } from './pages/billing.tsx'
import { checkingPage } from './pages/checking.tsx'
import { codePage } from './pages/code.tsx'
import { confirmingPage } from './pages/confirming.tsx'
import { countryPage } from './pages/country.tsx'
import { decidePage } from './pages/decide.tsx'
import { donePage } from './pages/done.tsx'
import { emailPage } from './pages/email.tsx'
import { endedPage } from './pages/ended.tsx'
import { holdPage } from './pages/hold.tsx'
import { identityPage } from './pages/identity.tsx'
import { methodPage } from './pages/method.tsx'
import { payoutAddressPage } from './pages/payout-address.tsx'
import { payPage } from './pages/pay.tsx'
import { progressPage } from './pages/progress.tsx'
import { refundAddressPage } from './pages/refund-address.tsx'
import { termsPage } from './pages/terms.tsx'
import { asksForCoinAddress, isSettled, isTyped, type Step } from './step.ts'
import { renderFrame } from './frame.tsx'
import { Problems } from '../ui/notice.tsx'
import { Phases } from './ui/phases.tsx'
import { CancelOrder } from './ui/links.tsx'
import { Refunds } from './ui/refunds.tsx'
import { Headline, Summary } from './ui/summary.tsx'

const pages: Record<Step, (props: PageProps) => Page> = {
  email: emailPage,
  code: codePage,
  terms: termsPage,
  country: countryPage,
  billing: billingPage,
  payout_address: payoutAddressPage,
  identity: identityPage,
  pay: payPage,
  method: methodPage,
  checking: checkingPage,
  confirming: confirmingPage,
  progress: progressPage,
  decide: decidePage,
  refund_address: refundAddressPage,
  hold: holdPage,
  done: donePage,
  ended: endedPage,
}

/** The page of an order, as HTML. */
export function renderOrder(props: PageProps, assets: Assets): string {
  const { visit, language, notices, problems } = props
  const { view, step, version } = visit
  const { title, body } = pages[step](props)
  const isAgreed = step !== 'ended' && !isGivenBack(view)
  const watch = {
    'data-watch': `/checkout/status${queryOf(props.here)}`,
    'data-version': version,
    'data-step': step,
    'data-now': props.now.getTime(),
    ...(isSettled(step) ? { 'data-settled': '' } : {}),
  }
  return renderFrame({
    title,
    language,
    assets,
    notices,
    order: view,
    look: props.look,
    translations: translationsOf(props),
    hasProblems: problems.length > 0,
    children: (
      <>
        <main {...watch} {...helpsOf(props, assets)}>
          {view.status === 'on_hold' ? null : <Phases step={step} language={language} />}
          {isAgreed ? <Headline {...props} /> : null}
          <h1 tabindex={-1}>{title}</h1>
          <Problems problems={problems} language={language} />
          {body}
          {step === 'decide' ? null : <Refunds {...props} />}
          <CancelOrder {...props} />
        </main>
        {isAgreed ? <Summary {...props} /> : null}
      </>
    ),
  })
}

/** The order's own page in every other language. */
const translationsOf = ({ language, visit: { view } }: PageProps): ReadonlyMap<string, string> =>
  new Map(
    languages.filter((tag) => tag !== language.tag).map((tag) => [tag, `/${tag}/checkout?tid=${view.tid}`] as const),
  )

/** What the script does on this page besides: judge fields while they are filled in, and fill in addresses. */
const helpsOf = ({ visit: { step, view }, here, language: { tag } }: PageProps, { scan }: Assets) => ({
  ...(isTyped(step) ? { 'data-typed': '' } : {}),
  ...(checkedSteps.some((one) => one === step)
    ? { 'data-check': `/checkout/check${queryOf(here)}&locale=${tag}` }
    : {}),
  ...(asksForCoinAddress(step, view) ? { 'data-scanner': scan } : {}),
})

/** The state is asked for with the page's own query: what was asked for decides which page is true. */
const queryOf = (here: string): string => here.slice(here.indexOf('?'))

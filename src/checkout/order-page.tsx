import type { AssetPaths } from './assets.ts'
import type { Page, PageProps } from './page.ts'
import { codePage } from './pages/code.tsx'
import { countryPage } from './pages/country.tsx'
import { donePage } from './pages/done.tsx'
import { emailPage } from './pages/email.tsx'
import { endedPage } from './pages/ended.tsx'
import { holdPage } from './pages/hold.tsx'
import { payoutAddressPage } from './pages/payout-address.tsx'
import { checkingPage, payPage } from './pages/pay.tsx'
import { progressPage } from './pages/progress.tsx'
import { isWaiting, isWatched, type Step } from './step.ts'
import { renderDocument } from './ui/frame.tsx'
import { Problems } from './ui/notice.tsx'
import { Phases } from './ui/phases.tsx'
import { Headline, Summary } from './ui/summary.tsx'

const pages: Record<Step, (props: PageProps) => Page> = {
  email: emailPage,
  code: codePage,
  country: countryPage,
  payout_address: payoutAddressPage,
  pay: payPage,
  checking: checkingPage,
  progress: progressPage,
  hold: holdPage,
  done: donePage,
  ended: endedPage,
}

/** How often a page that waits is loaded anew where no script does better. */
const refreshSeconds = 4

/** The page of an order, as HTML. */
export function renderOrder(props: PageProps, assets: AssetPaths): string {
  const { visit, language, isSandbox, problems } = props
  const { view, step, version, isBack } = visit
  const { title, body } = pages[step](props)
  const watch = isWatched(step)
    ? { 'data-watch': `/checkout/status${queryOf(props.here)}`, 'data-version': version }
    : {}
  return renderDocument({
    title,
    language,
    assets,
    isSandbox,
    order: view,
    hasProblems: problems.length > 0,
    refreshSeconds: isWaiting(step) || (isBack && step === 'pay') ? refreshSeconds : undefined,
    children: (
      <>
        <main {...watch}>
          <Phases step={step} language={language} />
          {step === 'ended' ? null : <Headline {...props} />}
          <h1 tabindex={-1}>{title}</h1>
          <Problems problems={problems} language={language} />
          {body}
        </main>
        {step === 'ended' ? null : <Summary {...props} />}
      </>
    ),
  })
}

/** The state is asked for with the page's own query: what was asked for decides which page is true. */
const queryOf = (here: string): string => here.slice(here.indexOf('?'))

import type { Assets } from './assets.ts'
import { languages } from '../../platform/language/language.ts'
import { isGivenBack } from './given-back.ts'
import type { PageProps } from './page.ts'
import { isSettled } from './step.ts'
import { checkoutSteps, isTyped } from './steps.ts'
import { renderLayout } from './layout.tsx'
import type { Task } from '../../exchange/customers/proof-of-work.ts'
import { Problems } from '../ui/notice.tsx'
import { Phases } from './ui/phases.tsx'
import { CancelOrder } from './ui/links.tsx'
import { Refunds } from './ui/refunds.tsx'
import { Headline, Summary } from './ui/summary.tsx'

/** Renders the page of an order's current step as an HTML document. */
export function renderOrder(props: PageProps, assets: Assets): string {
  const { visit, language, notices, problems } = props
  const { view, step, version } = visit
  const { title, body } = checkoutSteps[step].page(props)
  const isAgreed = step !== 'ended' && !isGivenBack(view)
  const watch = {
    'data-watch': `/checkout/status${queryOf(props.here)}`,
    'data-version': version,
    'data-step': step,
    'data-now': props.now.getTime(),
    ...(isSettled(step) ? { 'data-settled': '' } : {}),
  }
  return renderLayout({
    title,
    language,
    assets,
    notices,
    order: view,
    look: props.look,
    legal: props.legal,
    translations: translationsOf(props),
    hasProblems: problems.length > 0,
    script: visit.task && assets.task,
    children: (
      <>
        <main {...watch} {...scriptHints(props, assets)}>
          {view.status === 'on_hold' ? null : <Phases step={step} language={language} />}
          {isAgreed ? <Headline {...props} /> : null}
          <h1 tabindex={-1}>{title}</h1>
          <Problems problems={problems} language={language} />
          {visit.task ? (
            <noscript>
              <p class="hint">{language.say('task.noscript')}</p>
            </noscript>
          ) : null}
          {body}
          {step === 'decide' ? null : <Refunds {...props} />}
          <CancelOrder {...props} />
        </main>
        {isAgreed ? <Summary {...props} /> : null}
      </>
    ),
  })
}

/** The order's page in every other language. */
const translationsOf = ({ language, visit: { view } }: PageProps): ReadonlyMap<string, string> =>
  new Map(
    languages.filter((tag) => tag !== language.tag).map((tag) => [tag, `/${tag}/checkout?tid=${view.tid}`] as const),
  )

/** What scripts do on this page: check fields while they are filled in, scan addresses, and solve a task. */
const scriptHints = (props: PageProps, { scan }: Assets) => {
  const { visit, here, language } = props
  const { checkField, addressField } = checkoutSteps[visit.step]
  return {
    'data-offline': language.say('offline.lead'),
    ...(visit.task ? taskHints(visit.task, props) : {}),
    ...(isTyped(visit.step) ? { 'data-typed': '', 'data-secret': language.say('problem.SECRET_KEY') } : {}),
    ...(checkField ? { 'data-check': `/checkout/check${queryOf(here)}&locale=${language.tag}` } : {}),
    ...(addressField?.(visit) ? { 'data-scanner': scan } : {}),
  }
}

/** A form that came before the script knew of the task is sent again with the answer. */
const taskHints = ({ challenge, bits }: Task, { problems, typed, language }: PageProps) => {
  const isAsked = problems.some(({ text }) => text === language.say('problem.TASK_NEEDED'))
  return { 'data-task': challenge, 'data-bits': bits, ...(isAsked ? { 'data-again': typed.do } : {}) }
}

/** The status is requested with the page's own query, which decides which page is shown. */
const queryOf = (here: string): string => here.slice(here.indexOf('?'))

import type { Page, PageProps } from '../page.ts'
import { Notice } from '../../ui/notice.tsx'
import { ProofLink, RefreshLink } from '../ui/links.tsx'

/** A person or a rule must decide. The customer is told what it waits for, never why somebody looks. */
export function holdPage(props: PageProps): Page {
  const { visit, language } = props
  const { say, find } = language
  const { view } = visit
  return {
    title: say('hold.title'),
    body: (
      <>
        <p class="lead">{say('hold.lead')}</p>
        {view.statusDetails === null ? null : <Detail text={find(`hold.${view.statusDetails}`)} />}
        <ProofLink {...props} />
        <RefreshLink {...props} />
      </>
    ),
  }
}

/** Details without a text of their own say nothing that the customer could act on. */
function Detail({ text }: { text: string | undefined }) {
  return text === undefined ? null : <Notice kind="plain">{text}</Notice>
}

import { type Draft, newPolicyActions } from '../../exchange/actions/policies.ts'
import { formsOf } from '../pages/actions.tsx'
import type { Visit } from './page.ts'

/** What every form about the same policy carries. */
const hiddenOf = ({ partnerId, version }: Draft) => ({
  partner: partnerId === undefined ? '' : String(partnerId),
  based_on: String(version),
})

/** A document as a form, and as JSON; each shows first what a change would do. */
export async function changePart(visit: Visit, draft: Draft, hasOwn = false) {
  const [preset, tries] = [hiddenOf(draft), 'only'] as const
  const form = (look: object, more = {}) =>
    formsOf(visit, newPolicyActions, draft, undefined, { preset: { ...preset, ...more }, tries, ...look })
  return (
    <section aria-labelledby="change">
      <h2 id="change">Change it</h2>
      {await form({ isOpen: true, summary: 'Change its values' })}
      {await form({ isJson: true, summary: 'Change it as JSON' })}
      {hasOwn ? await form({ summary: 'Use the policy of the house again' }, { document: 'null' }) : null}
    </section>
  )
}

/** The form that proposes what was tried. */
export const proposeForm = (visit: Visit, draft: Draft, form: URLSearchParams | undefined) =>
  formsOf(visit, newPolicyActions, draft, undefined, {
    preset: {
      ...hiddenOf(draft),
      document: form?.get('document') ?? '',
      effective_at: form?.get('effective_at') ?? '',
    },
    isOpen: true,
  })

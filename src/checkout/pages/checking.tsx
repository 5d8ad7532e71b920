import type { Page, PageProps } from '../page.ts'
import { Form } from '../../ui/form.tsx'
import { RefreshHere } from '../ui/links.tsx'

/** The customer is back from the processor, whose word has not come yet. */
export function checkingPage(props: PageProps): Page {
  const { language, here } = props
  const { say } = language
  return {
    title: say('checking.title'),
    body: (
      <>
        <p class="lead">{say('checking.lead')}</p>
        <div class="spinner" aria-hidden="true" />
        <RefreshHere {...props} />
        <div class="others">
          <p>{say('checking.unpaid')}</p>
          <Form here={here} does="pay">
            <button type="submit" class="quiet">
              {say('checking.again')}
            </button>
          </Form>
        </div>
      </>
    ),
  }
}

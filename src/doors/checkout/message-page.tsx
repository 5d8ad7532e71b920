import type { Language } from '../../platform/language/language.ts'
import type { Page } from './page.ts'

/** Why there is no order to show: an unknown link, our own error, another site's form, an unreadable form, or a country we don't serve. */
export type Reason = 'missing' | 'fault' | 'foreign' | 'form' | 'country'

/** A page without an order. */
export const messagePage = (reason: Reason, { say }: Language): Page => ({
  title: say(`message.${reason}.title`),
  body: (
    <main>
      <h1>{say(`message.${reason}.title`)}</h1>
      <p class="lead">{say(`message.${reason}.lead`)}</p>
    </main>
  ),
})

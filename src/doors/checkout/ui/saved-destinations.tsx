import { Form } from '../../ui/form.tsx'
import { formOf } from '../account-form.ts'
import type { PageProps } from '../page.ts'
import { isAddressNeeded } from '../step.ts'
import { Account } from './account.tsx'
import { Address } from './address.tsx'

/** Where earlier orders were paid out, each with a button that chooses it; not the one that a payout has just come back from. */
export function SavedDestinations({ visit: { view }, saved = [], language, here }: PageProps) {
  const { say } = language
  const offered = saved.filter(({ address }) => !isAddressNeeded(view) || address !== view.payoutAddress)
  if (offered.length === 0) return null
  return (
    <section class="saved" aria-labelledby="saved">
      <h2 id="saved">{say('saved.title')}</h2>
      {offered.map(({ address, extraId, holder }, index) => (
        <Form key={index} here={here} does="payout_address">
          <input type="hidden" name="payout_address" value={address} />
          <input type="hidden" name="extra_id" value={extraId} />
          <input type="hidden" name="payout_holder" value={holder} />
          <div id={`saved-${index}`}>
            {view.to.currency.kind === 'FIAT' ? (
              <Account
                form={formOf(view.payout.category)}
                account={address}
                bic={extraId}
                holder={holder}
                language={language}
              />
            ) : (
              <>
                <Address text={address} />
                {extraId === '' ? null : (
                  <p>
                    <code dir="ltr">{extraId}</code>
                  </p>
                )}
              </>
            )}
          </div>
          <button type="submit" class="quiet" aria-describedby={`saved-${index}`}>
            {say('saved.use')}
          </button>
        </Form>
      ))}
    </section>
  )
}

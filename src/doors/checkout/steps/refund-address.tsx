import { checkRefundAddress, giveRefundAddress } from '../../../exchange/orders/choose.ts'
import { badField } from '../../../platform/lib/refusal.ts'
import type { Fields } from '../checkout-step.ts'
import type { CheckoutStep } from '../checkout-step.ts'
import { Form, Submit, TextField, WholeTextField } from '../../ui/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { Page, PageProps } from '../page.ts'
import { listed } from '../refunded-asset.ts'
import { Fills } from '../ui/fills.tsx'
import { capital, memoName } from '../ui/memo-name.ts'

/** A refund needs an address of the customer's own, on the network that the coins came from. */
export const refundAddress: CheckoutStep = {
  page: refundAddressPage,
  fields: ['refund_address', 'extra_id'],
  actions: {
    async refund_address({ ctx, visit, fields }) {
      const written = readAddress(fields)
      if (written.address === '') throw badField('refund_address', 'Enter the address.', 'ADDRESS_MISSING')
      await giveRefundAddress(ctx, visit.view.publicId, written)
      return {}
    },
  },
  async checkField({ ctx, visit, fields }) {
    const written = readAddress(fields)
    if (written.address !== '') await checkRefundAddress(ctx, visit.view.publicId, written)
  },
  addressField: ({ choices: { refund_address: refund } }) =>
    refund && { field: 'refund_address', listing: listed(refund.asset) },
}

const readAddress = (fields: Fields) => ({
  address: (fields.refund_address ?? '').trim(),
  extraId: (fields.extra_id ?? '').trim(),
})

function refundAddressPage(props: PageProps): Page {
  const { visit, language, here, problems, typed } = props
  const { say } = language
  const needed = visit.choices.refund_address
  if (!needed) throw new Error('This page is only for refunds that need an address.')
  const listing = listed(needed.asset)
  const memo = listing.network.chain?.memo ?? null
  const name = memoName(memo, language)
  const values = {
    amount: language.amount(needed.amount, listing),
    asset: listing.asset.ticker,
    network: listing.network.name,
  }
  return {
    title: say('refund.title'),
    body: (
      <>
        <p class="lead">{say('refund.lead', values)}</p>
        <Notice kind="plain">{say('refund.own', values)}</Notice>
        <Form here={here} does="refund_address">
          <WholeTextField
            name="refund_address"
            label={say('address.label', values)}
            hint={say('address.hint')}
            problems={problems}
            value={typed.refund_address}
          />
          <Fills name="refund_address" language={language} />
          {memo === null || !needed.memo ? null : (
            <TextField
              name="extra_id"
              label={capital(say(memo.required ? 'address.memo' : 'address.memoOptional', { memo: name }))}
              hint={say('address.memoHint')}
              problems={problems}
              value={typed.extra_id}
              autocomplete="off"
              required={memo.required}
            />
          )}
          <Submit>{say('refund.submit')}</Submit>
        </Form>
      </>
    ),
  }
}

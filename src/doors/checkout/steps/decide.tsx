import { acceptNow, askForRefund } from '../../../exchange/orders/choose.ts'
import type { CheckoutStep } from '../checkout-step.ts'
import type { Page, PageProps } from '../page.ts'
import { listed } from '../refunded-asset.ts'
import { Form, Submit } from '../../ui/form.tsx'
import { breakable } from '../../ui/copy.tsx'
import { RefreshLink } from '../ui/links.tsx'
import { PayTo } from '../ui/pay-to.tsx'

/** The customer must decide: what happened, and each option with its result. Nothing is preselected, and an offer names the amount shown. */
export const decide: CheckoutStep = {
  page: decidePage,
  actions: {
    /** The least to accept is the amount that was shown: if the price has moved since, the page shows the new one first. */
    async accept({ ctx, visit, fields: { at_least = '' } }) {
      if (/^\d{1,38}$/.test(at_least)) await acceptNow(ctx, visit.view.publicId, { atLeast: BigInt(at_least) })
      return {}
    },
    async refund({ ctx, visit }) {
      await askForRefund(ctx, visit.view.publicId)
      return {}
    },
  },
}

function decidePage(props: PageProps): Page {
  const { visit, language } = props
  const { say } = language
  const { choices } = visit
  return {
    title: say('decide.title'),
    body: (
      <>
        <Why {...props} />
        {visit.view.statusDetails === 'underpaid' ? <Rest {...props} /> : null}
        {choices.accept_price ? <Exchange {...props} offer={choices.accept_price} /> : null}
        {choices.exchange_what_came ? <Exchange {...props} offer={choices.exchange_what_came} /> : null}
        {choices.refund ? <Refund {...props} parts={choices.refund.parts} /> : null}
        <p class="hint">{say('decide.safe')}</p>
        <RefreshLink {...props} />
      </>
    ),
  }
}

/** What arrived is named as what it is: another coin than agreed has its own name. */
function Why({ visit: { view, choices }, language: { say, find, amount } }: PageProps) {
  const parts = view.statusDetails === 'wrong_asset' ? (choices.refund?.parts ?? []) : []
  const others = parts.map((part) => amount(part.amount, listed(part.asset))).join(', ')
  if (others !== '') {
    return (
      <p class="lead">{say('decide.why.other', { arrived: others, agreed: amount(view.fromAmount, view.from) })}</p>
    )
  }
  const values = {
    arrived: amount(view.arrived, view.from),
    agreed: amount(view.fromAmount, view.from),
    before: amount(view.toAmount, view.to),
  }
  return <p class="lead">{find(`decide.why.${view.statusDetails}`, values) ?? say('decide.why.review', values)}</p>
}

type Offer = { fromAmount: bigint; toAmount: bigint }

/** The current price, and the button that accepts it. */
function Exchange({ visit: { view }, language: { say, amount }, here, offer }: PageProps & { offer: Offer }) {
  const values = { give: amount(offer.fromAmount, view.from), get: amount(offer.toAmount, view.to) }
  return (
    <section class="choice">
      <h2>{say('decide.exchange')}</h2>
      <p>{say('decide.exchangeLead', values)}</p>
      <Form here={here} does="accept">
        <input type="hidden" name="at_least" value={String(offer.toAmount)} />
        <Submit>{breakable(say('decide.exchangeNow', values))}</Submit>
      </Form>
    </section>
  )
}

type Part = { asset: string; amount: bigint; cost: bigint }

/** The amounts to be refunded, and the cost of sending them. */
function Refund({ language, here, parts }: PageProps & { parts: Part[] }) {
  const { say } = language
  return (
    <section class="choice">
      <h2>{say('decide.refund')}</h2>
      {parts.map((part) => (
        <p key={part.asset}>{refundText(part, language)}</p>
      ))}
      <Form here={here} does="refund">
        <button type="submit" class="button second">
          {say('decide.refundNow')}
        </button>
      </Form>
    </section>
  )
}

function refundText({ asset, amount: whole, cost }: Part, { say, amount }: PageProps['language']): string {
  const listing = listed(asset)
  const values = { back: amount(whole - cost, listing), cost: amount(cost, listing) }
  return say(cost === 0n ? 'decide.refundLead' : 'decide.refundCost', values)
}

/** The missing amount can be sent like the first part, until the order expires. */
function Rest(props: PageProps) {
  const { visit, language, now } = props
  const { view } = visit
  if (view.payTo === null || view.payTo.kind === 'page' || view.expiresAt <= now) return null
  const rest = view.fromAmount - view.arrived
  if (rest <= 0n) return null
  const values = { rest: language.amount(rest, view.from), moment: language.moment(view.expiresAt) }
  return (
    <section class="choice">
      <h2>{language.say('decide.rest')}</h2>
      <p>
        <time dateTime={view.expiresAt.toISOString()}>{language.say('decide.restLead', values)}</time>
      </p>
      <PayTo {...props} amount={rest} />
    </section>
  )
}

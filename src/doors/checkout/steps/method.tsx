import { chooseMethod } from '../choose-method.ts'
import type { CheckoutStep } from '../checkout-step.ts'
import type { WayToPay } from '../../../exchange/orders/checkout-view.ts'
import type { Page, PageProps } from '../page.ts'
import { Form } from '../../ui/form.tsx'
import { MethodMark } from '../../ui/mark.tsx'
import { methodName } from '../../ui/method-name.ts'
import { methodTime } from '../way-to-pay.ts'

/** Lists the other ways to pay, with what the customer would receive. */
export const method: CheckoutStep = {
  phase: 'payment',
  page: methodPage,
  actions: { method: chooseMethod },
  mayReopen: ({ status, mayChooseMethod }) => status === 'waiting_for_deposit' && mayChooseMethod,
}

function methodPage(props: PageProps): Page {
  const { visit, language, here, home, ways } = props
  const { say, amount } = language
  const { view } = visit
  const current = { method: methodName(view.deposit.category, language) }
  return {
    title: say('method.title'),
    body: (
      <>
        <p class="lead">
          {ways.length === 0 ? say('method.none') : say('method.lead', { amount: amount(view.fromAmount, view.from) })}
        </p>
        {ways.length === 0 ? null : (
          <Form here={here} does="method">
            <ul class="ways">
              {ways.map((way) => (
                <li key={way.method.type}>
                  <Choice {...props} way={way} />
                </li>
              ))}
            </ul>
          </Form>
        )}
        <p class="hint">
          {say('method.now', current)}. {say('method.receive', { amount: amount(view.toAmount, view.to) })}.
        </p>
        <p class="others">
          <a href={home}>{say('method.keep', current)}</a>
        </p>
      </>
    ),
  }
}

function Choice({ visit, language, way: { method, toAmount } }: PageProps & { way: WayToPay }) {
  const { say, amount } = language
  return (
    <button type="submit" class="way-to-pay" name="method" value={method.type}>
      <MethodMark category={method.category} />
      <strong>{methodName(method.category, language)}</strong>
      <span>{say('method.receive', { amount: amount(toAmount, visit.view.to) })}</span>
      <small>{methodTime(method, language)}</small>
    </button>
  )
}

import assert from 'node:assert/strict'
import { after, before, describe, it, test } from 'node:test'

import { type Forms, formsOn, titleOf } from '../../../test/support/checkout-forms.ts'
import { createBuy } from '../../../test/support/customer.ts'
import { type Exchange, startExchange } from '../../../test/support/exchange.ts'
import { filesBelow } from '../../../test/support/source.ts'
import { giveDetails } from '../../exchange/orders/checkout.ts'
import type { OrderStep } from '../../exchange/orders/step.ts'
import { type Details, orderSteps } from '../../exchange/orders/steps.ts'
import { badField } from '../../platform/lib/refusal.ts'
import { ChoiceField, Form, Submit } from '../ui/form.tsx'
import type { CheckoutStep } from './checkout-step.ts'
import { checkoutSteps } from './steps.ts'

/** The steps that have a file in a folder: `payout-address.tsx` is `payout_address`. */
const stepsIn = (folder: string): string[] =>
  filesBelow(folder).map((path) => (/([\w-]+)\.tsx?$/.exec(path)?.[1] ?? path).replaceAll('-', '_'))

test('every step is one file and one entry of its list, and what is asked for has exactly one page', () => {
  const asked = orderSteps.map(({ name }) => name)
  assert.deepEqual(stepsIn('src/exchange/orders/steps').toSorted(), asked.toSorted())
  assert.deepEqual(stepsIn('src/doors/checkout/steps').toSorted(), Object.keys(checkoutSteps).toSorted())
  for (const name of asked) assert(Object.hasOwn(checkoutSteps, name), `${name} has no page`)

  const details = orderSteps.flatMap((step): readonly string[] => step.details)
  assert.equal(new Set(details).size, details.length, 'a detail belongs to one step')
})

test('a form does something on the pages that offer it only', () => {
  for (const [name, { actions = {}, page, fields }] of Object.entries(checkoutSteps)) {
    assert.equal(typeof page, 'function', name)
    assert(fields === undefined || Object.keys(actions).length > 0, `${name} has fields that are sent nowhere`)
  }
})

/** What exchange/orders/steps/source-of-funds.ts would be. */
type SourceOfFunds = { sourceOfFunds?: string }
const asked: OrderStep<SourceOfFunds> & { name: string } = {
  name: 'source_of_funds',
  details: ['sourceOfFunds'],
  changeable: 'until_complete',
  isMissing: (_ctx, { personal }) => personal.answers?.source_of_funds === undefined,
  apply({ transaction: { personal } }, { sourceOfFunds = '' }) {
    if (!['salary', 'savings'].includes(sourceOfFunds))
      throw badField('source_of_funds', 'Choose one.', 'SOURCE_MISSING')
    return { personal: { ...personal, answers: { ...personal.answers, source_of_funds: sourceOfFunds } } }
  },
}

/** What doors/checkout/steps/source-of-funds.tsx would be. */
const shown: CheckoutStep = {
  phase: 'details',
  fields: ['source_of_funds'],
  actions: {
    async source_of_funds({ ctx, visit, fields: { source_of_funds: sourceOfFunds = '' } }) {
      const details: SourceOfFunds = { sourceOfFunds }
      await giveDetails(ctx, visit.view.publicId, details as Details, visit.customerId)
      return {}
    },
  },
  page: ({ visit, here, problems, typed }) => ({
    title: 'Where does the money come from?',
    body: (
      <Form here={here} does="source_of_funds">
        <ChoiceField
          name="source_of_funds"
          label="Source of funds"
          problems={problems}
          choices={[{ value: 'salary', text: 'Salary' }]}
          empty="Choose"
          value={typed.source_of_funds ?? visit.view.answers.source_of_funds}
          autocomplete="off"
        />
        <Submit>Continue</Submit>
      </Form>
    ),
  }),
}

describe('a step that is added to the two lists', () => {
  const orders = orderSteps as unknown as (typeof asked)[]
  const pages = checkoutSteps as unknown as Record<string, CheckoutStep>
  let exchange: Exchange
  let forms: Forms
  before(async () => {
    orders.splice(5, 0, asked)
    pages.source_of_funds = shown
    exchange = await startExchange()
    forms = formsOn(exchange)
  })
  after(async () => {
    orders.splice(5, 1)
    delete pages.source_of_funds
    await exchange.stop()
  })

  it('is asked in its place, validated, saved, and not asked again', async () => {
    const order = await createBuy(exchange)
    const browser = await forms.prove(order.url, 'funds@example.com')
    const early = await forms.post(order.url, { do: 'source_of_funds', source_of_funds: 'salary' }, browser)
    assert.equal(early.status, 303)
    await forms.post(order.url, { do: 'country', country: 'NL' }, browser)
    const page = await forms.get(order.url, browser)
    assert.equal(titleOf(page), 'Where does the money come from?', 'the form of another step does nothing')

    const refused = await forms.post(order.url, { do: 'source_of_funds', source_of_funds: 'theft' }, browser)
    assert.equal(refused.status, 400)
    assert.match(refused.text, /id="source_of_funds-problem"/, 'the problem is shown at its field')
    assert.equal(
      (await forms.post(order.url, { do: 'source_of_funds', source_of_funds: 'salary' }, browser)).status,
      303,
    )
    assert.doesNotMatch(titleOf(await forms.get(order.url, browser)), /come from/)
  })
})

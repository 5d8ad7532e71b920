import assert from 'node:assert/strict'
import { test } from 'node:test'

import { listed, sampleView } from '../../../test/support/checkout-views.ts'
import { table } from '../../../test/support/table.ts'
import type { CheckoutView } from '../../exchange/orders/checkout-view.ts'
import type { StepName } from '../../exchange/orders/steps.ts'
import { lifecycle, type Status } from '../../exchange/transactions/lifecycle.ts'
import { stepOf, wishes } from './next-step.ts'
import type { Wish } from './step.ts'

const sale = { from: listed('BTC'), to: listed('EUR'), amount: '0.05' }

const wayBack = { asset: 'BTC-BTC', amount: 1n, memo: false }

const rows = table(`
  status                missing                     flags               step
  new                   email,code,country          ''                  email
  waiting_for_customer  email,code,country          ''                  email
  waiting_for_customer  code,country                ''                  email
  waiting_for_customer  code,country                code                code
  waiting_for_customer  code,country                code,ask-email      email
  waiting_for_customer  country,payout_address      ''                  email
  waiting_for_customer  country,payout_address      code,ask-email      email
  waiting_for_customer  country,payout_address      proven              country
  waiting_for_customer  terms,country               proven              terms
  waiting_for_customer  code,terms,country          code                code
  waiting_for_customer  identity                    proven              identity
  waiting_for_customer  identity                    proven,ask-identity  identity
  waiting_for_customer  identity                    proven,ask-address  payout_address
  waiting_for_customer  identity                    ask-identity        email
  waiting_for_customer  billing,identity            proven,billing      billing
  waiting_for_customer  payout_address              proven              payout_address
  waiting_for_customer  billing,payout_address      proven,billing      billing
  waiting_for_customer  payout_address              proven,billing,ask-billing  billing
  waiting_for_customer  payout_address              proven,ask-billing  payout_address
  waiting_for_customer  billing                     billing,ask-billing  email
  waiting_for_customer  country                     proven,ask-address  payout_address
  waiting_for_customer  country                     ask-address         email
  waiting_for_deposit   ''                          ''                  email
  waiting_for_deposit   ''                          code                code
  waiting_for_deposit   ''                          back                email
  waiting_for_deposit   ''                          proven              pay
  waiting_for_deposit   ''                          proven,back         pay
  waiting_for_deposit   ''                          proven,back,begun   checking
  waiting_for_deposit   ''                          proven,back,silent  checking
  waiting_for_deposit   ''                          proven,back,begun_before  checking
  waiting_for_deposit   ''                          proven,back,paid    checking
  waiting_for_deposit   ''                          proven,paid         checking
  waiting_for_deposit   ''                          proven,back,begun,ask-method  checking
  waiting_for_deposit   ''                          proven,ask-identity  pay
  waiting_for_deposit   ''                          proven,confirming   checking
  waiting_for_deposit   ''                          proven,declined     pay
  waiting_for_deposit   ''                          proven,back,declined  pay
  waiting_for_deposit   ''                          proven,back,declined,paid  checking
  waiting_for_deposit   ''                          proven,ask-address  payout_address
  waiting_for_deposit   ''                          proven,confirming,ask-address  checking
  waiting_for_deposit   ''                          proven,fixed,ask-address  pay
  waiting_for_deposit   ''                          proven,billing,ask-billing  billing
  waiting_for_deposit   ''                          proven,billing,confirming,ask-billing  checking
  waiting_for_deposit   ''                          proven,ask-billing  pay
  waiting_for_deposit   ''                          proven,ask-email    pay
  waiting_for_deposit   ''                          proven,ask-method   method
  waiting_for_deposit   ''                          proven,ask-method,chosen  pay
  waiting_for_deposit   ''                          proven,ask-method,confirming  checking
  waiting_for_deposit   ''                          ask-method          email
  waiting_for_deposit   ''                          proven,coin         pay
  waiting_for_deposit   ''                          proven,coin,back    pay
  waiting_for_deposit   ''                          proven,coin,paid    pay
  waiting_for_deposit   ''                          proven,coin,back,paid  checking
  waiting_for_deposit   ''                          proven,coin,confirming  confirming
  waiting_for_deposit   ''                          coin,confirming     email
  waiting_for_deposit   ''                          proven,bank,confirming  confirming
  on_hold               ''                          returned            hold
  on_hold               ''                          choices             hold
  on_hold               ''                          proven,choices      decide
  on_hold               ''                          proven,way-back     refund_address
  on_hold               ''                          returned,ask-proof  email
  on_hold               ''                          proven,returned     payout_address
  on_hold               ''                          proven,ask-address  hold
  on_hold               ''                          ''                  hold
  on_hold               ''                          ask-proof           email
  exchanging            ''                          ''                  progress
  exchanging            ''                          proven,billing,ask-billing  progress
  exchanging            ''                          proven,back         progress
  sending               ''                          ask-address         progress
  finished              ''                          ''                  done
  finished              ''                          code                done
  finished              ''                          code,ask-proof      code
  finished              ''                          proven,ask-proof    done
  refunded              ''                          proven              ended
  expired               email,code                  ''                  ended
  expired               email,code                  ask-proof           ended
  cancelled             ''                          ask-email           ended
  cancelled             ''                          proven,back         ended
  cancelled             ''                          proven,back,silent  ended
  cancelled             ''                          proven,back,paid    checking
  cancelled             ''                          back,paid           ended
  expired               ''                          proven,back,paid    checking
  failed                ''                          ''                  ended
  failed                ''                          proven,back,paid    checking
  refunded              ''                          proven,back,paid    ended
`)

test('the page follows from the state and the browser alone', () => {
  for (const { status = '', missing = '', flags = '', step = '' } of rows) {
    const has = (flag: string): boolean => flags.split(',').includes(flag)
    const lacks = missing.split(',').filter((one) => one !== '') as StepName[]
    const change: Partial<CheckoutView> = {
      status: status as Status,
      missing: lacks,
      email: lacks.includes('email') ? null : 'jan@example.com',
      payoutAddressChangeable: !has('fixed'),
      billing: has('billing') ? {} : null,
      statusDetails: has('confirming') ? 'confirming' : has('returned') ? 'address_needed' : null,
      errors: has('declined') ? [{ code: 'card_declined', reason: '' }] : [],
      mayChooseMethod: !has('chosen'),
    }
    const view = sampleView(change, has('coin') ? sale : has('bank') ? { deposit: 'SEPA' } : {})
    const asks: [string, Wish][] = [
      ['ask-email', 'email'],
      ['ask-billing', 'billing'],
      ['ask-address', 'payout_address'],
      ['ask-method', 'method'],
      ['ask-proof', 'proof'],
      ['ask-identity', 'identity'],
    ]
    const wish = asks.find(([flag]) => has(flag))?.[1]
    const known = {
      view,
      email: view.email,
      choices: has('choices') ? { refund: { parts: [] } } : has('way-back') ? { refund_address: wayBack } : {},
      isProven: has('proven'),
      hasCode: has('code'),
      isBack: has('back'),
      payment: (['paid', 'begun', 'begun_before', 'silent'] as const).find(has) ?? ('none' as const),
      wish,
    }
    assert.equal(stepOf(known), step, `${status} ${missing} ${flags}`)
  }
})

test('no step that shows or takes something personal is reached without proof, whatever is asked for', () => {
  const personal = new Set<string>([
    'terms',
    'country',
    'billing',
    'payout_address',
    'identity',
    'pay',
    'method',
    'checking',
    'confirming',
    'decide',
    'refund_address',
  ])
  for (const status of Object.keys(lifecycle) as Status[]) {
    for (const wish of [undefined, ...wishes]) {
      for (const payment of ['none', 'begun', 'begun_before', 'silent', 'paid'] as const) {
        const isBack = payment !== 'none'
        const view = sampleView({ status, billing: {} })
        const step = stepOf({
          view,
          email: view.email,
          choices: { refund: { parts: [] }, refund_address: wayBack },
          isProven: false,
          hasCode: isBack,
          isBack,
          payment,
          wish,
        })
        assert(!personal.has(step), `${status} ${wish}: ${step}`)
      }
    }
  }
})

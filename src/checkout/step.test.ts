import assert from 'node:assert/strict'
import { test } from 'node:test'

import { sampleView } from '../../test/support/checkout-pages.ts'
import { table } from '../../test/support/table.ts'
import type { Missing } from '../transactions/checkout-view.ts'
import { lifecycle, type Status } from '../transactions/lifecycle.ts'
import { stepOf, type Wish } from './step.ts'

test('the page follows from the state and the browser alone', () => {
  const rows = table(`
    status                missing                     flags               step
    new                   email,code,country          ''                  email
    waiting_for_customer  email,code,country          ''                  email
    waiting_for_customer  code,country                ''                  email
    waiting_for_customer  code,country                code                code
    waiting_for_customer  code,country                code,ask-email      email
    waiting_for_customer  country,payout_address      ''                  email
    waiting_for_customer  country,payout_address      code,ask-email      code
    waiting_for_customer  country,payout_address      proven              country
    waiting_for_customer  payout_address              proven              payout_address
    waiting_for_customer  country                     proven,ask-address  payout_address
    waiting_for_customer  country                     ask-address         email
    waiting_for_deposit   ''                          ''                  email
    waiting_for_deposit   ''                          code                code
    waiting_for_deposit   ''                          back                email
    waiting_for_deposit   ''                          proven              pay
    waiting_for_deposit   ''                          proven,back         checking
    waiting_for_deposit   ''                          proven,confirming   checking
    waiting_for_deposit   ''                          proven,declined     pay
    waiting_for_deposit   ''                          proven,back,declined  pay
    waiting_for_deposit   ''                          proven,back,declined,paid  checking
    waiting_for_deposit   ''                          proven,ask-address  payout_address
    waiting_for_deposit   ''                          proven,confirming,ask-address  checking
    waiting_for_deposit   ''                          proven,fixed,ask-address  pay
    waiting_for_deposit   ''                          proven,ask-email    pay
    on_hold               ''                          ''                  hold
    on_hold               ''                          ask-proof           email
    exchanging            ''                          ''                  progress
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
    failed                ''                          ''                  ended
  `)
  for (const { status = '', missing = '', flags = '', step = '' } of rows) {
    const has = (flag: string): boolean => flags.split(',').includes(flag)
    const lacks = missing.split(',').filter((one) => one !== '') as Missing[]
    const view = sampleView({
      status: status as Status,
      missing: lacks,
      email: lacks.includes('email') ? null : 'jan@example.com',
      payoutAddressChangeable: !has('fixed'),
      statusDetails: has('confirming') ? 'confirming' : null,
      errors: has('declined') ? [{ code: 'card_declined', reason: '' }] : [],
    })
    const asks: [string, Wish][] = [
      ['ask-email', 'email'],
      ['ask-address', 'payout_address'],
      ['ask-proof', 'proof'],
    ]
    const wish = asks.find(([flag]) => has(flag))?.[1]
    const known = {
      view,
      isProven: has('proven'),
      hasCode: has('code'),
      isBack: has('back'),
      isPaid: has('paid'),
      wish,
    }
    assert.equal(stepOf(known), step, `${status} ${missing} ${flags}`)
  }
})

test('no step that shows or takes something personal is reached without proof, whatever is asked for', () => {
  const personal = new Set(['country', 'payout_address', 'pay', 'checking'])
  for (const status of Object.keys(lifecycle) as Status[]) {
    for (const wish of [undefined, 'email', 'payout_address', 'proof'] as const) {
      for (const isBack of [true, false]) {
        const step = stepOf({
          view: sampleView({ status }),
          isProven: false,
          hasCode: isBack,
          isBack,
          isPaid: false,
          wish,
        })
        assert(!personal.has(step), `${status} ${wish}: ${step}`)
      }
    }
  }
})

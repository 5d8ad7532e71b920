import assert from 'node:assert/strict'
import { test } from 'node:test'

import { everyRail } from '../../../test/support/every-rail.ts'
import { feesDocument, policies, policiesWith } from '../../../test/support/policies.ts'
import { recordedMarket } from '../../markets/recorded/recorded-market.ts'
import { b2bTerms, defaultTerms } from '../availability/partner-terms.ts'
import type { FeesDocument } from '../policies/fees.ts'
import { rulesOf } from '../policies/kinds.ts'
import { lossesUnder } from './losses.ts'

const now = new Date('2026-11-20T08:00:00.000Z')
const moment = { market: recordedMarket(1), now, maxPriceAgeSeconds: 60, rails: everyRail, policies }

const under = (document: FeesDocument) =>
  lossesUnder(
    { ...moment, policies: policiesWith({ kind: 'fees', document }) },
    rulesOf('fees', document),
    defaultTerms,
  )

test('what ships loses on no pair, by no method, at no end', () => {
  const retail = lossesUnder(moment, policies.at(now, 'fees').rules, defaultTerms)
  const b2b = lossesUnder(moment, policies.at(now, 'b2b').rules, b2bTerms)
  assert.ok(retail.exchanges > 3_000 && b2b.exchanges > 1_000, `only ${retail.exchanges} and ${b2b.exchanges}`)
  assert.deepEqual([...retail.losses, ...b2b.losses], [])
})

test('a fixed cost loses at the minimum, a percentage at the maximum, and the worst is named', () => {
  const { methods } = feesDocument()
  const fixed = under(feesDocument({ costs: { SEPA: { fixed: '1' } } }))
  const sepa = fixed.losses.find(({ deposit, payout }) => deposit === 'SEPA_1' && payout === 'CRYPTO_1')
  // The least is worth 50 EUR. They bring 0.5 and 0.5% of 49.5; the payment costs 1.
  assert.ok(Number(sepa?.loss) > 0.25 && Number(sepa?.loss) < 0.27, JSON.stringify(fixed.losses))

  const percentage = under(
    feesDocument({ methods: { ...methods, VISA_MC: '0%' }, costs: { VISA_MC: { percent: '2%' } } }),
  )
  const card = percentage.losses.find(({ deposit }) => deposit === 'VISA_MC_1')
  assert.ok(Number(card?.amount) > 10_000, JSON.stringify(card))
})

test('a least service fee pays at the minimum and is outgrown: the loss is where it ends to count, or beyond', () => {
  const thin = { service: { buy: '0.1%', sell: '0.1%', swap: '0.1%' }, minimum: '1', spread: '0%', spread_by_side: {} }
  const { losses } = under(feesDocument({ ...thin, costs: { SEPA: { percent: '0.3%', fixed: '0' } } }))
  const sepa = losses.find(({ deposit, currency }) => deposit === 'SEPA_1' && currency === 'EUR')
  assert.ok(sepa && Number(sepa.amount) > 300, JSON.stringify(sepa))
})

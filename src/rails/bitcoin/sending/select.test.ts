import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import fc from 'fast-check'

import { feeShare } from './fees.ts'
import { selectCoins, type SpendableCoin, sumOf } from './select.ts'
import { promised } from '../../../../test/support/promised.ts'

const script = `0014${'ab'.repeat(20)}`
const amounts = fc.bigInt({ min: 1n, max: 10n ** 10n })
const coinsOf = (values: bigint[]): SpendableCoin[] =>
  values.map((amount, vout) => ({ txid: 'aa'.repeat(32), vout, amount, branch: 0, position: 0n }))

describe('the choice of coins', () => {
  it('never loses a satoshi, never pays less than the rate, and makes no dust', () => {
    fc.assert(
      fc.property(
        fc.array(amounts, { maxLength: 60 }),
        fc.array(amounts, { minLength: 1, maxLength: 20 }),
        fc.bigInt({ min: 1n, max: 500n }),
        fc.constantFrom({ hasWitness: true, dust: 546n }, { hasWitness: false, dust: 1_000_000n }),
        (values, wanted, rate, rules) => {
          const payments = wanted.map((amount) => ({ script, amount }))
          const coins = coinsOf(values)
          const found = selectCoins(rules, { coins, payments, rate, changeScript: script })
          if (!found) {
            // All coins together, less what spending each costs, do not pay for it.
            const inputFee = rate * (rules.hasWitness ? 68n : 148n)
            const worth = values.filter((value) => value > inputFee).map((value) => value - inputFee)
            const fee = rate * BigInt(11 + 31 * payments.length)
            assert(worth.reduce((sum, value) => sum + value, 0n) < sumOf(payments) + fee + 4n * rate)
            return
          }
          const { inputs, change, fee, size } = found
          assert.equal(sumOf(inputs), sumOf(payments) + change + fee)
          assert(fee >= rate * BigInt(size))
          assert(change === 0n || change >= rules.dust)
          assert.equal(new Set(inputs).size, inputs.length)
          assert(inputs.every((input) => coins.includes(input)))
          // What is lost beyond the fee is less than change would have been worth.
          const lost = fee - rate * BigInt(size)
          assert(lost < rules.dust + rate * 110n || lost <= rate * 200n, `${lost} lost`)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('finds coins that need no change, where there are any', () => {
    const coins = coinsOf([50_000n, 30_000n, 20_000n, 11_000n])
    const rules = { hasWitness: true, dust: 546n }
    const found = selectCoins(rules, { coins, payments: [{ script, amount: 30_750n }], rate: 1n, changeScript: script })
    assert.deepEqual([found?.change, found?.inputs.map(({ amount }) => amount)], [0n, [20_000n, 11_000n]])
  })

  it('is fast with thousands of coins', () => {
    const coins = coinsOf(Array.from({ length: 5_000 }, (_, index) => 10_000n + BigInt(index * 7)))
    const payments = Array.from({ length: 100 }, (_, index) => ({ script, amount: 12_345n + BigInt(index) }))
    const rules = { hasWitness: true, dust: 546n }
    const before = performance.now()
    assert(selectCoins(rules, { coins, payments, rate: 20n, changeScript: script }))
    assert(performance.now() - before < promised(2_000))
  })
})

describe('the fee of a transfer', () => {
  it('is shared by its payments to the last satoshi, and no two shares differ by more than one', () => {
    fc.assert(
      fc.property(amounts, fc.integer({ min: 1, max: 100 }), (fee, size) => {
        const count = BigInt(size)
        const shares = Array.from({ length: size }, (_, index) => feeShare(fee, { count, number: BigInt(index) }))
        assert.equal(
          shares.reduce((sum, share) => sum + share, 0n),
          fee,
        )
        assert((shares[0] ?? 0n) - (shares.at(-1) ?? 0n) <= 1n)
      }),
    )
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import type { Stated } from './compare.ts'
import type { BookedTransfer } from './items.sql.ts'
import { notStated, transferWindowMs, withoutTransfers } from './transfers.ts'

const start = Date.parse('2026-11-02T10:00:00Z')
const hour = 3_600_000
const at = (hours: number): Date => new Date(start + hours * hour)

const line = (payment: string, amount: bigint, hours: number, asset = 'EUR-EUR'): Stated => ({
  rail: 'bank',
  direction: 'in',
  key: payment,
  reference: '',
  asset,
  amount,
  first: at(hours),
  last: at(hours),
})
const transfer = (reference: string, amount: bigint, hours: number, fee = 0n): BookedTransfer => ({
  reference,
  asset: 'EUR-EUR',
  amount,
  fee,
  at: at(hours),
})
const left = (lines: Stated[], transfers: BookedTransfer[]) => {
  const rest = withoutTransfers(lines, transfers)
  return [
    rest.stated.map(({ key }) => key),
    rest.transfers.map(({ reference, amount, fee }) => [reference, amount + fee]),
  ]
}

describe('transfers between own accounts on a statement', () => {
  const cases: [string, Stated[], BookedTransfer[], unknown[]][] = [
    ['is the line', [line('a', -500n, 2)], [transfer('T', -500n, 0)], [[], []]],
    ['is the line before it is booked', [line('a', 500n, -71)], [transfer('T', 500n, 0)], [[], []]],
    ['includes its fee', [line('a', -503n, 0)], [transfer('T', -500n, 0, -3n)], [[], []]],
    ['has its fee in another line', [line('a', -500n, 0), line('b', -3n, 5)], [transfer('T', -500n, 0, -3n)], [[], []]],
    ['leaves a fee that was not charged', [line('a', -500n, 0)], [transfer('T', -500n, 0, -3n)], [[], [['T', -3n]]]],
    ['is not a line four days later', [line('a', -500n, 96)], [transfer('T', -500n, 0)], [['a'], [['T', -500n]]]],
    ['is not a line the other way', [line('a', 500n, 0)], [transfer('T', -500n, 0)], [['a'], [['T', -500n]]]],
    ['is not a line of another asset', [line('a', -5n, 0, 'USD-USD')], [transfer('T', -5n, 0)], [['a'], [['T', -5n]]]],
    ['takes one line only', [line('a', -500n, 0), line('b', -500n, 1)], [transfer('T', -500n, 0)], [['b'], []]],
    [
      'leaves the line that another one needs',
      [line('b', -500n, 60), line('a', -500n, 0)],
      [transfer('late', -500n, 65), transfer('early', -500n, 1)],
      [[], []],
    ],
  ]
  for (const [name, lines, transfers, expected] of cases)
    it(name, () => assert.deepEqual(left(lines, transfers), expected))

  it('never changes what a balance differs by, and pairs only what is equal and near', () => {
    for (let seed = 1; seed <= 500; seed += 1) {
      let state = seed
      const draw = (below: number): number => {
        state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
        return (state >>> 8) % below
      }
      const amount = (): bigint => BigInt(draw(5) - 2) * 10n
      const lines = Array.from({ length: draw(8) }, (_, index) => line(`l${index}`, amount() + 1n, draw(240)))
      const transfers = Array.from({ length: draw(8) }, (_, index) =>
        transfer(`t${index}`, amount() + 1n, draw(240), BigInt(-draw(3)) * 10n),
      )
      const rest = withoutTransfers(lines, transfers)
      const sum = (list: readonly { amount: bigint; fee?: bigint }[]) =>
        list.reduce((total, one) => total + one.amount + (one.fee ?? 0n), 0n)
      const unstated = sum(rest.transfers.map((one) => notStated(one, at(0))))
      assert.equal(sum(rest.stated) + unstated, sum(lines) - sum(transfers), `seed ${seed}: the balance`)
      const paired = lines.filter((one) => !rest.stated.includes(one))
      for (const one of paired)
        assert.ok(
          transfers.some(
            ({ amount: its, fee, at: when }) =>
              [its, fee, its + fee].includes(one.amount) &&
              Math.abs(when.getTime() - one.first.getTime()) <= transferWindowMs,
          ),
          `seed ${seed}: ${one.key} belongs to no transfer`,
        )
      for (const one of rest.transfers) {
        const isMissed = rest.stated.some(
          (other) =>
            other.amount === one.amount + one.fee &&
            Math.abs(one.at.getTime() - other.first.getTime()) <= transferWindowMs,
        )
        assert.ok(!isMissed, `seed ${seed}: ${one.reference} could have been paired`)
      }
    }
  })
})

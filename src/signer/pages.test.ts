import assert from 'node:assert/strict'
import { it } from 'node:test'

import { silentLog } from '../platform/lib/log.ts'
import { beginning, type JournalLine } from './journal.ts'
import { readPolicy } from './policy.ts'
import { openKeySigner } from './signer.ts'

it('a page of the journal is never longer than its reader takes, however many payments its lines have', () => {
  const payment = { asset: 'BTC-BTC', amount: '30000', destination: '00'.repeat(34) }
  const lines = Array.from({ length: 1_500 }, (_, index): JournalLine => {
    const payments = Array.from({ length: 100 }, (_one, number) => ({ payout: `${index} ${number}`, ...payment }))
    const fee = { asset: 'BTC-BTC', amount: '1' }
    const entry = { kind: 'signature', digest: String(index), payments, fee, exclusive: [], claims: {} } as const
    const hash = index.toString(16).padStart(64, 'a')
    return { number: index + 1, at: '2026-01-05T10:00:00Z', previous: beginning, entry, hash }
  })
  const { signedAfter } = openKeySigner({
    policy: readPolicy('{ caps: [], destinations: {} }'),
    journal: { lines, append: () => assert.fail(), close: () => Promise.resolve() },
    clock: { realNow: () => new Date('2026-01-05T10:00:00Z') },
    log: silentLog,
    families: {},
  })
  const seen: string[] = []
  let at = { upTo: 0, hash: beginning }
  while (at.upTo < lines.length) {
    const page = signedAfter(at.upTo)
    assert(JSON.stringify(page).length < 2_000_000)
    assert.equal(page.from, at.hash)
    assert(page.upTo > at.upTo)
    seen.push(...page.payments.map(({ payout }) => payout))
    at = page
  }
  assert.equal(new Set(seen).size, 150_000)
  assert.equal(seen.length, 150_000)
  assert.deepEqual(signedAfter(2_000).from, null)
})

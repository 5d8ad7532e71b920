import assert from 'node:assert/strict'
import { test } from 'node:test'

import { sampleProps } from '../../../test/support/checkout-pages.ts'
import { btc, type Sample, sellOfBtc } from '../../../test/support/sample-page.ts'
import { sheetOf } from '../ui/serve-file.ts'
import { renderOrder } from './order-page.tsx'

const assets = { sheet: sheetOf(''), icon: '', script: '', scan: '', task: '' }

/** What a reader sees of a page. */
async function textOf(sample: Sample): Promise<string> {
  const html = renderOrder(await sampleProps(sample), assets)
  const body = html.slice(html.indexOf('<main'), html.indexOf('<footer'))
  return body
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('\u00A0', ' ')
    .replace(/\s+/g, ' ')
}

const part = { publicId: 7n, asset: btc.asset.id, cost: 3_000n, reason: '', plan: null, hash: null }
const arrived = 700_000n
const held = { status: 'on_hold', statusDetails: 'refund_pending', arrived } as const

test('while all that came goes back, nothing promises the exchange that was agreed, and nobody is said to look', async () => {
  const text = await textOf({
    step: 'hold',
    view: { ...held, refunds: [{ ...part, amount: arrived, state: 'sent' }] },
    order: sellOfBtc,
  })
  assert.match(text, /We’re sending your money back/)
  assert.match(text, /0\.00697 BTC is on its way back to you\./)
  assert.doesNotMatch(text, /You receive|Your price|We’re reviewing|EUR/)
})

test('while only the rest goes back, the exchange of what was taken stays', async () => {
  const text = await textOf({
    step: 'hold',
    view: { ...held, refunds: [{ ...part, amount: 100_000n, state: 'sent' }] },
    order: sellOfBtc,
  })
  assert.match(text, /We’re sending the extra money back/)
  assert.match(text, /You receive/)
})

test('a refund is on its way once it was sent, and a cancelled one is not shown', async () => {
  const pageWith = (state: 'ordered' | 'address_needed' | 'sent' | 'paid' | 'failed' | 'cancelled') =>
    textOf({ step: 'hold', view: { ...held, refunds: [{ ...part, amount: arrived, state }] }, order: sellOfBtc })
  assert.match(await pageWith('ordered'), /We’ll send 0\.00697 BTC back to you\./)
  assert.match(await pageWith('address_needed'), /as soon as we know where to/)
  assert.match(await pageWith('sent'), /on its way back/)
  assert.match(await pageWith('paid'), /was sent back/)
  assert.match(await pageWith('failed'), /haven’t been able to send/)
  assert.doesNotMatch(await pageWith('cancelled'), /0\.00697/)
})

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'

import { testContext } from '../../../test/support/api.ts'
import { testDatabase } from '../../../test/support/database.ts'
import { makeTransaction } from '../../../test/support/transaction.ts'
import type { Ctx } from '../context.ts'
import { readMailbox } from '../mail/mailbox.ts'
import { createPartner } from '../partners/create.ts'
import type { Partner } from '../partners/partner.ts'
import { checkCode } from './check-code.ts'
import { provenInBrowser, startSession } from './checkout-session.ts'
import { pendingCode } from './one-time-code.ts'
import { sendCode } from './send-code.ts'

describe('a one-time code', () => {
  let ctx: Ctx
  let partner: Partner
  let order: Parameters<typeof sendCode>[1]
  let count = 0

  before(async () => {
    ctx = await testContext(await testDatabase())
    partner = (await createPartner(ctx, { name: 'Tulip Wallet' }, 'test')).partner
  })
  after(() => ctx.db.close())

  beforeEach(async () => {
    const { id, publicId } = await makeTransaction(ctx, partner)
    const email = `jan${(count += 1)}@example.com`
    order = { transactionId: id, publicId, partnerId: partner.id, partnerName: partner.name, email, locale: null }
  })

  const codeIn = async (email = order.email): Promise<string> => {
    const [sent] = await readMailbox(ctx, { to: email })
    return /^ *(\d{6})$/m.exec(sent?.text ?? '')?.[1] ?? 'no code came'
  }
  const answer = (code: string, change: Partial<typeof order> = {}) => checkCode(ctx, { ...order, ...change, code })
  const wrongOf = (code: string): string => (code === '000000' ? '000001' : '000000')
  const refused = (code: string) => (error: unknown) =>
    (error as { problems?: { code: string }[] }).problems?.[0]?.code === code
  /** What the wall clock of the test has been put ahead. Business time is not touched by it. */
  const inRealTime = async (ms: number, work: () => Promise<void>) => {
    const { realNow } = ctx.clock
    ctx.clock.realNow = () => new Date(realNow().getTime() + ms)
    try {
      await work()
    } finally {
      ctx.clock.realNow = realNow
    }
  }

  it('comes by mail, proves the address once, and names the same customer ever after', async () => {
    await sendCode(ctx, order)
    const code = await codeIn()
    const { customerId } = await answer(`${code.slice(0, 3)} ${code.slice(3)}`)
    await assert.rejects(() => answer(code), refused('CODE_EXPIRED'))

    const again = await makeTransaction(ctx, partner)
    const another = { transactionId: again.id, publicId: again.publicId, email: order.email.toUpperCase() }
    await sendCode(ctx, { ...order, ...another })
    assert.equal((await answer(await codeIn(), another)).customerId, customerId)
  })

  it('is valid for its own transaction and its own address only', async () => {
    await sendCode(ctx, order)
    const code = await codeIn()
    const other = await makeTransaction(ctx, partner)
    await assert.rejects(() => answer(code, { transactionId: other.id }), refused('CODE_EXPIRED'))
    await assert.rejects(() => answer(code, { email: 'eva@example.com' }), refused('CODE_EXPIRED'))
    await answer(code)
  })

  it('dies after five wrong guesses, the right one included', async () => {
    await sendCode(ctx, order)
    const code = await codeIn()
    for (let tries = 0; tries < 4; tries += 1) {
      await assert.rejects(() => answer(wrongOf(code)), refused('CODE_WRONG'))
    }
    await assert.rejects(() => answer(wrongOf(code)), refused('CODE_SPENT'), 'the last try says that it was the last')
    await assert.rejects(() => answer(code), refused('CODE_EXPIRED'))
    assert.equal(await pendingCode(ctx, order), undefined)
  })

  it('counts guesses that come at the same moment', async () => {
    await sendCode(ctx, order)
    const code = await codeIn()
    const guesses = await Promise.allSettled(Array.from({ length: 12 }, () => answer(wrongOf(code))))
    const counted = (code: string): number =>
      guesses.filter((guess) => guess.status === 'rejected' && refused(code)(guess.reason)).length
    assert.deepEqual(['CODE_WRONG', 'CODE_SPENT', 'CODE_EXPIRED'].map(counted), [4, 1, 7])
  })

  it('that is no code at all is not counted as a guess', async () => {
    await sendCode(ctx, order)
    for (const text of ['', '12345', '1234567', 'abcdef', '４２４２４２']) {
      await assert.rejects(() => answer(text), refused('CODE_ILL_FORMED'))
    }
    await answer(await codeIn())
  })

  it('is taken as it is typed: in groups, and in the digits of an Arabic or Persian keyboard', async () => {
    for (const zero of [0x660, 0x6f0]) {
      await inRealTime(21_000, () => sendCode(ctx, order))
      const typed = [...(await codeIn())].map((digit) => String.fromCharCode(zero + digit.charCodeAt(0) - 0x30))
      await answer(`${typed.slice(0, 3).join('')} ${typed.slice(3).join('')}`)
    }
  })

  it('is worth nothing once the next one is sent', async () => {
    await sendCode(ctx, order)
    const first = await codeIn()
    assert.equal((await pendingCode(ctx, order))?.isRepeat, false)
    await inRealTime(21_000, () => sendCode(ctx, order))
    assert.equal((await pendingCode(ctx, order))?.isRepeat, true, 'pages tell that a second one is on its way')
    const second = await codeIn()
    if (first !== second) await assert.rejects(() => answer(first), refused('CODE_WRONG'))
    await answer(second)
  })

  it('expires in business time, and then a new one is sent at once', async () => {
    await sendCode(ctx, order)
    const code = await codeIn()
    ctx.clock.learnOffset(ctx.clock.offsetMs() + 600_000)
    await assert.rejects(() => answer(code), refused('CODE_EXPIRED'))
    await sendCode(ctx, order)
    await answer(await codeIn())
  })

  it('is not sent twice within seconds, nor more than ten times a day for one transaction', async () => {
    await sendCode(ctx, order)
    await assert.rejects(() => sendCode(ctx, order), refused('CODE_TOO_SOON'))
    for (let sent = 1; sent < 10; sent += 1) {
      await sendCode(ctx, { ...order, email: `other${sent}-${order.email}` })
    }
    await assert.rejects(() => sendCode(ctx, { ...order, email: 'one-more@example.com' }), refused('TOO_MANY_CODES'))
    await inRealTime(86_400_000, () => sendCode(ctx, { ...order, email: 'one-more@example.com' }))
  })

  it('is sent ten times a day to one address, over whatever transactions', async () => {
    const another = async () => {
      const { id, publicId } = await makeTransaction(ctx, partner)
      return { ...order, transactionId: id, publicId }
    }
    for (let sent = 0; sent < 10; sent += 1) await sendCode(ctx, await another())
    const eleventh = await another()
    await assert.rejects(() => sendCode(ctx, eleventh), refused('TOO_MANY_CODES'))
    await inRealTime(86_400_001, () => sendCode(ctx, eleventh))
  })

  it('can be guessed at 25 times a day for one address, over whatever transactions', async () => {
    const guessFiveTimes = async () => {
      const { id, publicId } = await makeTransaction(ctx, partner)
      const other = { transactionId: id, publicId }
      await sendCode(ctx, { ...order, ...other })
      const code = await codeIn()
      for (let tries = 0; tries < 5; tries += 1) {
        await assert.rejects(() => answer(wrongOf(code), other), refused(tries < 4 ? 'CODE_WRONG' : 'CODE_SPENT'))
      }
    }
    for (let transactions = 0; transactions < 5; transactions += 1) await guessFiveTimes()

    await sendCode(ctx, order)
    const code = await codeIn()
    await assert.rejects(() => answer(code), refused('TOO_MANY_TRIES'))
    await inRealTime(86_400_001, async () => {
      await answer(code)
    })
  })

  it('is stored as a keyed hash, and its e-mail sealed', async () => {
    await sendCode(ctx, order)
    const code = await codeIn()
    const rows = await ctx.db.sql<{ row: string }>`
      select one_time_codes::text as row from one_time_codes where transaction_id = ${order.transactionId}
      union all select mails::text from mails where transaction_id = ${order.transactionId}`
    assert.equal(rows.length, 2)
    for (const { row } of rows) {
      const readable = row.replace(/\\x[0-9a-f]+/g, '')
      assert(!readable.includes(code))
      assert(!readable.includes('example'))
      for (const text of [code, 'example']) assert(!row.includes(Buffer.from(text).toString('hex')), text)
    }
  })

  it('opens the transaction in the browser that answered it, and in no other', async () => {
    await sendCode(ctx, order)
    const { customerId } = await answer(await codeIn())
    const token = await startSession(ctx, order, customerId)
    const proven = (change: Partial<typeof order & { token: string }> = {}) =>
      provenInBrowser(ctx, { ...order, token, ...change })

    assert.equal(await proven(), customerId)
    assert.equal(await proven({ token: token.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')) }), undefined)
    assert.equal(await proven({ email: 'eva@example.com' }), undefined)
    const other = await makeTransaction(ctx, partner)
    assert.equal(await proven({ transactionId: other.id }), undefined)
    await inRealTime(86_400_001, async () => assert.equal(await proven(), undefined))
  })
})

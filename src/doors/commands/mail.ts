import { findBounce } from '../../exchange/mail/bounces.ts'
import { reportBounce } from '../../exchange/operations/bounces.ts'
import type { Answer, Invocation } from './command.ts'
import { reasonOf } from './staff.ts'
import { withActor } from './who.ts'

/** Whether e-mails reach an address, as far as is known. */
export const show = (input: Invocation): Promise<Answer> =>
  input.exchange(async (ctx) => {
    const bounce = await findBounce(ctx, input.args[0] ?? '')
    const json = {
      bounced_at: bounce?.at.toISOString() ?? null,
      reply_code: bounce?.code ?? null,
      reason: bounce?.reason ?? null,
    }
    return bounce ? { json } : { json, text: 'Nothing bounced.' }
  })

/** Marks an address whose e-mails came back, or removes the mark. */
export const mark = (clear: boolean, input: Invocation): Promise<Answer> => {
  const [reason, address] = [reasonOf(input), input.args[0] ?? '']
  return withActor(input, 'customers.view', async (ctx, actor) => {
    await reportBounce(ctx, address, { reason, actor, clear })
    return { json: { bounced: !clear } }
  })
}

import { findBounce } from '../../exchange/mail/bounces.ts'
import type { Answer, Invocation } from './command.ts'

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

import type { FastifyInstance } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { isLocale } from '../../platform/language/language.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { World } from '../rails.ts'
import { publicIdByLink } from '../../exchange/transactions/load.ts'
import { isOurForm } from '../../doors/ui/our-form.ts'
import { readForms } from '../../doors/ui/read-forms.ts'
import { payOnce } from './pay.ts'

/** What the form holds at most: nothing but its address says anything. */
const largestForm = 1_024

/**
 * `POST /sandbox/pay?tid=`: the button on the page of a payment by hand, for a person who has neither a bank's app nor a wallet in the
 * sandbox: pays what is due, once, and leads back to the order in `locale`. Takes forms of our own pages only. As in the
 * real world, everybody with an order's link may pay for it.
 */
export const payPress =
  (ctx: Ctx, world: World) =>
  (app: FastifyInstance): void => {
    readForms(app, largestForm)
    app.post<{ Querystring: Record<string, unknown> }>('/sandbox/pay', async (request, reply) => {
      const { locale } = request.query
      const tid = typeof request.query.tid === 'string' ? request.query.tid : ''
      const id = await publicIdByLink(ctx.db, tid)
      if (id === undefined) throw new Refusal('NOT_FOUND', 'There is no such transaction.')
      if (!isOurForm(ctx, request)) throw new Refusal('FORBIDDEN', 'This form came from another site.')
      await payOnce(ctx, world, id)
      const spoken = typeof locale === 'string' && isLocale(locale) ? `/${locale}` : ''
      return reply.header('cache-control', 'no-store').redirect(`${spoken}/checkout?tid=${tid}`, 303)
    })
  }

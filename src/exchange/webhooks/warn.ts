import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { layOut } from '../mail/letter.ts'
import { sendMail } from '../mail/send.ts'
import { showPartner } from '../partners/find.ts'
import type { DataKey } from '../../platform/privacy/data-key.ts'
import type { Turned } from './queries.ts'

/**
 * Writes to the partner that an endpoint fails or was disabled, with the block in which it turned so. A partner without a
 * contact address is told by the events alone.
 */
export async function writeLetter(ctx: Ctx, db: Atomic, turned: Turned, dataKey: DataKey): Promise<void> {
  const { settings } = await showPartner({ db }, turned.partnerId)
  if (settings.contactEmail === null) return
  await sendMail(ctx, db, { to: settings.contactEmail, ...letterOf(turned), dataKey })
}

function letterOf({ id, url, status, failingSince }: Turned) {
  const since = `${failingSince.toISOString().slice(0, 16).replace('T', ' ')} UTC`
  const host = new URL(url).host
  const footer = `Endpoint ${id}. You get this because you are the contact of an account at this exchange.`
  if (status === 'disabled') {
    const title = `Webhooks to ${host} have been stopped`
    return {
      subject: title,
      ...layOut({
        title,
        paragraphs: [
          `Your endpoint ${url} has taken nothing since ${since}, or has answered that it is gone. It gets nothing more.`,
          'No event is lost: they are in the feed, GET /v1/events. Make the endpoint active again with PATCH ' +
            `/v1/webhook-endpoints/${id} and send what it missed with POST /v1/webhook-endpoints/${id}/replay.`,
        ],
        footer,
      }),
    }
  }
  const title = `Webhooks to ${host} fail`
  return {
    subject: title,
    ...layOut({
      title,
      paragraphs: [
        `Your endpoint ${url} has taken nothing since ${since}. We go on trying, and everything waits in order.`,
        'What it answered is under GET ' +
          `/v1/webhook-endpoints/${id}/attempts. An endpoint that only fails for days is disabled; its events stay in the feed.`,
      ],
      footer,
    }),
  }
}

import { parseDuration } from '../../platform/lib/duration.ts'
import { type OpenedRails, type RailTools, together } from '../kind.ts'
import { keepAsking } from '../processor/follow.ts'
import { type CheckoutComTools, openCheckoutComRail } from './rail.ts'
import type { CheckoutComEntry } from './settings.ts'

/** Opens the rails of entries of CONFIG_FILE. Workers ask about what is open there. */
export function openCheckoutCom(
  entries: readonly CheckoutComEntry[],
  { readSecret, ...tools }: CheckoutComTools & Pick<RailTools, 'readSecret'>,
): OpenedRails {
  const opened = entries.map((entry) =>
    openCheckoutComRail(
      {
        name: entry.name,
        baseUrl: entry.base_url,
        secretKey: readSecret(entry.secret_key),
        webhookKey: readSecret(entry.webhook_key),
        processingChannelId: entry.processing_channel_id,
        country: entry.country,
        serves: entry.serves,
        pageOrigins: entry.page_origins,
        lookEveryMs: parseDuration(entry.look_every ?? 'PT30S'),
      },
      tools,
    ),
  )
  return {
    rails: opened.map(({ rail }) => rail),
    follow: ({ report }) => together(opened.map(({ processor, begin }) => keepAsking(processor, report, begin))),
  }
}

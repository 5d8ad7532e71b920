import { parseDuration } from '../../platform/lib/duration.ts'
import { keepAsking, type Report } from '../processor/follow.ts'
import type { Rail } from '../rail.ts'
import { type CheckoutComTools, openCheckoutComRail } from './rail.ts'
import type { CheckoutComEntry } from './settings.ts'

/** Opens the rails of entries of CONFIG_FILE; `secret` gives what a reference refers to. Workers ask about what is open there. */
export function openCheckoutCom(
  entries: readonly CheckoutComEntry[],
  { secret, ...tools }: CheckoutComTools & { secret(reference: string): string },
): { rails: Rail[]; follow(reports: { report: Report }): { stop(): Promise<void> } } {
  const opened = entries.map((entry) =>
    openCheckoutComRail(
      {
        name: entry.name,
        baseUrl: entry.base_url,
        secretKey: secret(entry.secret_key),
        webhookKey: secret(entry.webhook_key),
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
    follow: ({ report }) => {
      const following = opened.map(({ processor, begin }) => keepAsking(processor, report, begin))
      return { stop: async () => void (await Promise.all(following.map((one) => one.stop()))) }
    },
  }
}

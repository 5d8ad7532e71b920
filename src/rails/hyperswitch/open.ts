import { parseDuration } from '../../platform/lib/duration.ts'
import { type OpenedRails, type RailTools, together } from '../kind.ts'
import { keepAsking } from '../processor/follow.ts'
import { type DeskTools, watchDisputes } from './desk.ts'
import { openHyperswitchRail } from './rail.ts'
import type { HyperswitchEntry, HyperswitchSettings } from './settings.ts'

/** Reads an entry of CONFIG_FILE; `secret` gives what a reference refers to. */
const settingsOf = (entry: HyperswitchEntry, secret: (reference: string) => string): HyperswitchSettings => ({
  name: entry.name,
  baseUrl: entry.base_url,
  apiKey: secret(entry.api_key),
  webhookKey: secret(entry.webhook_key),
  profileId: entry.profile_id,
  serves: entry.serves,
  currencies: entry.currencies,
  capture: entry.capture ?? 'automatic',
  authentication: entry.authentication ?? 'three_ds',
  lookEveryMs: parseDuration(entry.look_every ?? 'PT30S'),
  payouts: entry.payouts ?? false,
  pageOrigins: entry.page_origins ?? [],
})

/** Opens the rails of entries, and what follows their payments, refunds and disputes in processes that are workers. */
export function openHyperswitch(
  entries: readonly HyperswitchEntry[],
  { readSecret, ...tools }: DeskTools & Pick<RailTools, 'readSecret'>,
): OpenedRails {
  const opened = entries.map((entry) => openHyperswitchRail(settingsOf(entry, readSecret), tools))
  return {
    rails: opened.map(({ rail }) => rail),
    follow: ({ report }) =>
      together(opened.map(({ desk }) => keepAsking(desk.processor, report, () => watchDisputes(desk)))),
  }
}

import type { FastifyRequest } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { clientAddress } from '../../platform/lib/client-address.ts'
import type { IpBlocks } from '../../platform/lib/ip-blocks.ts'
import type { Assets } from './assets.ts'

/** What the console's own routes share. */
export type Door = { ctx: Ctx; assets: Assets; trusted: IpBlocks; headers: Record<string, string> }

/** The network that a request came from, shortened: enough to tell one's own sessions apart. */
export function networkOfRequest({ trusted }: Door, { raw }: FastifyRequest): string {
  const { connection } = clientAddress(raw, trusted)
  return connection.includes(':')
    ? `${connection.split(':').slice(0, 3).join(':')}::`
    : connection.replace(/\.\d+$/, '.0')
}

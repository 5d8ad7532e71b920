import { createHmac, timingSafeEqual } from 'node:crypto'

import { randomToken } from '../../platform/lib/ids.ts'
import type { Ctx } from '../context.ts'

/** What a browser's cookie says after a sign-in: an id, and a keyed digest of it and the address, so that nobody else can make one. */
export function deviceOf({ secrets }: Pick<Ctx, 'secrets'>, email: string, id = randomToken(12)): string {
  const mac = createHmac('sha256', secrets.keyFor('sign-in-devices')).update(`${id} ${email}`).digest('base64url')
  return `${id}.${mac}`
}

/** The id in a browser's cookie, where it is for this address. */
export function knownDevice(ctx: Pick<Ctx, 'secrets'>, email: string, device: string | undefined): string | undefined {
  const [, id] = /^([\w-]{16})\.[\w-]{43}$/.exec(device ?? '') ?? []
  if (device === undefined || id === undefined) return undefined
  return timingSafeEqual(Buffer.from(deviceOf(ctx, email, id)), Buffer.from(device)) ? id : undefined
}

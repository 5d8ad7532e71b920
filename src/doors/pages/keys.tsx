import type { ComponentChildren } from 'preact'

import type { ApiKey } from '../../exchange/partners/partner.ts'
import { Moment } from './table.tsx'

const isOver = ({ revokedAt, expiresAt }: ApiKey, now: Date): boolean =>
  revokedAt !== null || (expiresAt !== null && expiresAt <= now)

export const keyColumns = ['Kind', 'Ends in', 'Label', 'Only from', 'Last used', 'State']

/** A key, without its text. */
export const keyCells = (one: ApiKey, now: Date): ComponentChildren[] => [
  one.kind,
  one.hint,
  one.label,
  one.allowIps.join(', ') || 'anywhere',
  one.lastUsedAt === null ? 'never' : <Moment at={one.lastUsedAt} />,
  isOver(one, now) ? (
    'revoked or expired'
  ) : one.expiresAt === null ? (
    'valid'
  ) : (
    <>
      valid until <Moment at={one.expiresAt} />
    </>
  ),
]

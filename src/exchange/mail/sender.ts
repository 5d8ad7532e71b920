import type { Settings } from '../settings.ts'

/**
 * Who an e-mail is from: MAIL_FROM, or a partner's name "via" the operator's at the same address. The address stays the operator's,
 * which the domain's SPF and DKIM records allow.
 */
export function senderOf(
  { mail: { from }, company }: Pick<Settings, 'mail' | 'company'>,
  senderName: string | undefined,
): string | { name: string; address: string } {
  if (senderName === undefined) return from
  const [, name = '', address = from] = /^\s*"?([^"<]*?)"?\s*<([^>]+)>\s*$/.exec(from) ?? []
  const operator = company?.name ?? (name || address.replace(/^.*@/, ''))
  return { name: `${senderName} via ${operator}`, address }
}

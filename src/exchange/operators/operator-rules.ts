import type { Role } from './roles.ts'

type Access = { disabledAt: Date | null }
type Member = Access & { id: bigint; role: Role }

export const isAdmin = ({ role, disabledAt }: Pick<Member, 'role' | 'disabledAt'>): boolean =>
  role === 'admin' && disabledAt === null

/** Why an operator stays an administrator; undefined: there are others, or this is not one. */
export function whyStaysAdmin(all: readonly Member[], { id }: Pick<Member, 'id'>): string | undefined {
  const [first, ...others] = all.filter(isAdmin)
  return first?.id === id && others.length === 0 ? 'This is the last administrator.' : undefined
}

/** Why there is nothing to disable; undefined: there is. */
export const whyNotDisabled = ({ disabledAt }: Access): string | undefined =>
  disabledAt === null ? undefined : 'This operator is disabled already.'

/** Why an operator cannot be enabled; undefined: it can be done. */
export const whyNotEnabled = ({ disabledAt }: Access): string | undefined =>
  disabledAt === null ? 'This operator is not disabled.' : undefined

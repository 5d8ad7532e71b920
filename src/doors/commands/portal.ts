import { listPortalUsers } from '../../exchange/partners/portal-users.ts'
import type { Answer, Invocation } from './command.ts'
import { partnerIdOf } from './read-id.ts'

export const list = (input: Invocation): Promise<Answer> => {
  const partnerId = partnerIdOf(input)
  return input.exchange(async (ctx) => ({
    json: (await listPortalUsers(ctx, partnerId)).map(({ email, name, role, isInvited, createdAt, disabledAt }) => ({
      email,
      name,
      role,
      status: disabledAt !== null ? 'disabled' : isInvited ? 'invited' : 'active',
      created_at: createdAt.toISOString(),
    })),
  }))
}

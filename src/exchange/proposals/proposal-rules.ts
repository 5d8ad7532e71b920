type Decision = { approvedAt: Date | null; rejectedAt: Date | null; effectiveAt: Date }

/** Why a version waits for no approval; undefined: it does. */
export function whyNotApproved({ approvedAt, rejectedAt }: Decision): string | undefined {
  if (approvedAt) return 'This policy is approved already.'
  return rejectedAt ? 'This policy was rejected.' : undefined
}

/** Whether a version is proposed, or approved for later. */
export const isToCome = (version: Decision, now: Date): boolean => whyNotRejected(version, now) === undefined

/** Why a version cannot be rejected; undefined: it can. */
export function whyNotRejected({ approvedAt, rejectedAt, effectiveAt }: Decision, now: Date): string | undefined {
  if (rejectedAt) return 'This policy is rejected already.'
  return approvedAt && effectiveAt <= now ? 'This policy is in force. Propose another one in its place.' : undefined
}

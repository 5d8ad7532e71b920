import type { Secrets } from '../../platform/privacy/master-key.ts'
import { isSameStamp, stampText } from '../../platform/privacy/stamp.ts'
import type { ApprovalRow, NewApproval } from './approvals.sql.ts'
import { canonicalText } from './content.ts'

/** A keyed hash of a whole row: the proof that the service itself wrote it. The database alone is not enough to make one. */
export function stampOf(secrets: Pick<Secrets, 'keyFor'>, row: Omit<NewApproval, 'stamp'>): Buffer {
  const { kind, subject, hash, approver, keyId, signature, at } = row
  const fields = {
    kind,
    subject,
    hash: hash?.toString('hex') ?? null,
    approver,
    key: keyId === null ? null : String(keyId),
    signature,
    at: at.toISOString(),
  }
  return stampText(secrets.keyFor('approvals'), `row ${canonicalText(fields)}`)
}

/** Whether the service wrote a row, or it is from before there were stamps, which only the owner of the tables can say. */
export function isGenuine(secrets: Pick<Secrets, 'keyFor'>, row: ApprovalRow): boolean {
  return row.carriedOver || isSameStamp(row.stamp, stampOf(secrets, row))
}

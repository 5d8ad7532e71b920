import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

import { Refusal } from '../../platform/lib/refusal.ts'
import type { ReviewFact } from '../provider.ts'
import { fieldsOf, idOf, textOf, timeOf } from './translate.ts'

/**
 * Digests that we take: the two that can be chosen in Sumsub's dashboard, where SHA-256 is the default. The SHA-1 of older
 * accounts (`HMAC_SHA1_HEX`, seen in public client code) is refused.
 */
const algorithms: Readonly<Record<string, string>> = { HMAC_SHA256_HEX: 'sha256', HMAC_SHA512_HEX: 'sha512' }

/** What each of their types is to us; every other one is `other`. */
const kinds: Readonly<Record<string, ReviewFact['kind']>> = {
  applicantCreated: 'applicant.changed',
  applicantPending: 'applicant.changed',
  applicantPrechecked: 'applicant.changed',
  applicantReviewed: 'applicant.changed',
  applicantOnHold: 'applicant.changed',
  applicantAwaitingUser: 'applicant.changed',
  applicantAwaitingService: 'applicant.changed',
  applicantReset: 'applicant.changed',
  applicantLevelChanged: 'applicant.changed',
  applicantPersonalInfoChanged: 'applicant.changed',
  applicantActivated: 'applicant.changed',
  applicantDeactivated: 'applicant.changed',
  applicantWorkflowCompleted: 'applicant.changed',
  applicantWorkflowFailed: 'applicant.changed',
  applicantDeleted: 'applicant.deleted',
}

/**
 * Reads one of Sumsub's webhooks: first the digest of the very bytes that came (`X-Payload-Digest`, hex, by the algorithm
 * that `X-Payload-Digest-Alg` names), then the JSON. The digest has no time in it, so an old webhook sent again is genuine:
 * it has the same key and is recorded once. One that was sent from the dashboard by hand (`testMode`) is `other`.
 *
 * Sources, read 2026-11-20: https://docs.sumsub.com/docs/webhook-manager (updated 2026-10-08: secret key, SHA256 or SHA512,
 * `testMode`, sent again after failures, no personal data), https://docs.sumsub.com/docs/user-verification-webhooks (types and
 * fields), https://docs.sumsub.com/docs/receive-and-interpret-results-via-api (updated 2026-09-23, examples). The names of
 * the two headers and of the algorithms: in public client code only, e.g. github.com/andyle182810/gosumsub, webhook.go.
 * unverified: whether a webhook that is sent again has the same bytes. If not, it is one more fact, and costs one look.
 */
export function readSumsubCallback(
  webhookSecret: string,
  body: string,
  headers: Record<string, string | undefined>,
): ReviewFact {
  const name = headers['x-payload-digest-alg'] ?? ''
  const algorithm = Object.hasOwn(algorithms, name) ? algorithms[name] : undefined
  if (algorithm === undefined || !isDigest(algorithm, webhookSecret, body, headers['x-payload-digest'])) {
    throw new Refusal('SIGNATURE_INVALID', 'The digest does not match.')
  }

  const fields = fieldsOf(readJson(body))
  const applicantId = idOf(fields.applicantId)
  const type = textOf(fields.type, 64)
  if (applicantId === '' || type === '') throw new Refusal('BAD_REQUEST', 'This is no webhook about an applicant.')

  const result = fieldsOf(fields.reviewResult)
  const said = {
    type,
    correlationId: textOf(fields.correlationId),
    createdAtMs: textOf(fields.createdAtMs),
    reviewStatus: textOf(fields.reviewStatus, 64),
    reviewAnswer: textOf(result.reviewAnswer, 64),
    reviewRejectType: textOf(result.reviewRejectType, 64),
    levelName: textOf(fields.levelName),
    reuseScope: textOf(fields.reuseScope, 64),
  }
  const known = Object.hasOwn(kinds, type) ? kinds[type] : undefined
  return {
    key: createHash('sha256')
      .update(JSON.stringify([applicantId, ...Object.values(said)]))
      .digest('hex'),
    kind: fields.testMode === true ? 'other' : (known ?? 'other'),
    applicantId,
    at: timeOf(fields.createdAtMs),
    body: Object.fromEntries(Object.entries(said).filter(([, text]) => text !== '')),
  }
}

function isDigest(algorithm: string, secret: string, body: string, digest: string | undefined): boolean {
  const right = createHmac(algorithm, secret).update(body).digest()
  const given = /^([0-9a-f]{2})+$/i.test(digest ?? '') ? Buffer.from(digest ?? '', 'hex') : Buffer.alloc(0)
  return right.length === given.length && timingSafeEqual(right, given)
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

import type { Log } from '../platform/lib/log.ts'
import {
  type Applicant,
  type CheckOrder,
  type IdentityProvider,
  type ImportOrder,
  providerDown,
  type StartedCheck,
  tokenRefused,
} from './provider.ts'
import { type Account, type Answer, openCaller, type Surroundings } from './sumsub/call.ts'
import { readSumsubCallback } from './sumsub/callback.ts'
import { fieldsOf, idOf, readApplicant, readReview, textOf } from './sumsub/translate.ts'

export type SumsubAccount = Account & {
  webhookSecret: string
  /**
   * The verification level that a person must fulfill here. With one, tokens are taken by Reusable KYC, which checks what was
   * shared against it; without, by Copy Applicant, which takes it as it is and which few regulators accept as a verification.
   */
  level: string | undefined
}

/** What the adapter needs besides. Only codes go to the log: Sumsub's descriptions repeat tokens. */
export type SumsubSurroundings = Surroundings & { log: Pick<Log, 'warn' | 'error'> }

/** Sumsub treats a token as any text of at most 1 KB (https://docs.sumsub.com/docs/copy-applicant, read 2026-11-20). */
const tokenForm = /^[\x21-\x7e]{1,1024}$/

/** Error codes with which Sumsub refuses a shared token: 10501 to 10521, on the pages named at `openSumsub`. */
const isTokenCode = (code: unknown): boolean => typeof code === 'number' && code >= 10_501 && code <= 10_521

/**
 * Opens the real provider: Sumsub's API over signed requests.
 *
 * Sources, read 2026-11-20. Import: https://docs.sumsub.com/reference/reuse-applicant-for-reusable-kyc (Reusable KYC) and
 * https://docs.sumsub.com/reference/copy-applicant-profile (updated 2026-09-29, Copy Applicant): POST, everything in the query,
 * answered by the applicant; refusals 401 `Token is invalid: ...` without an error code, and 400 with one of 10501 to 10521.
 * `userId`, which becomes the applicant's `externalUserId`: github.com/SUMSUB/agent-skills (sumsub-integrate-id-connect)
 * for Reusable KYC; for Copy Applicant in the public client github.com/alexeevdv/sumsub-client only. That share tokens are
 * invalidated by use: https://docs.sumsub.com/reference/generate-share-token (updated 2026-09-29). Errors:
 * https://docs.sumsub.com/reference/error-codes-description. 429: https://docs.sumsub.com/reference/rate-limits.
 * Checks: an applicant of our own is made first (https://docs.sumsub.com/reference/create-applicants), because only its id ties what
 * webhooks tell to a person; then a link to Sumsub's pages (https://docs.sumsub.com/reference/generate-websdk-external-link, updated
 * 2026-09-17: POST, `levelName`, `userId`, `applicantIdentifiers`, `redirect`, `ttlInSecs` in the body). That the answer is `url`:
 * in the public client github.com/andyle182810/gosumsub only.
 * unverified: that an `externalUserId` which is taken is refused with 409 (public clients treat it so; any refusal is followed by a
 * look for our own reference all the same); that `lang` in the query takes all our languages; that links are at *.sumsub.com, which
 * the checkout's Content-Security-Policy relies on; whether an applicant who is approved at a level can be led through it again.
 * unverified: that a 429 carries `Retry-After`; the error codes 4000 to 4003 of a bad app token (so every 401 that is not
 * about a shared token counts as one); `type: "company"` of an applicant.
 */
export function openSumsub(account: SumsubAccount, surroundings: SumsubSurroundings): IdentityProvider {
  const { log } = surroundings
  const caller = openCaller(account, surroundings)

  /** The answer's body; undefined for 404. Refuses everything else: then nothing is known. */
  function expect(answer: Answer, what: string): unknown {
    if (answer.came && answer.status === 200 && answer.body !== undefined) return answer.body
    if (answer.came && answer.status === 404) return undefined
    throw down(answer, what)
  }

  function down(answer: Answer, what: string) {
    const facts = answer.came ? { status: answer.status, errorCode: codeOf(answer.body) } : { code: answer.code }
    const ours = answer.came && [400, 401, 403, 404].includes(answer.status)
    const complain = ours ? log.error : log.warn
    complain(
      { provider: 'sumsub', what, ...facts },
      ours ? 'Sumsub refuses us: look at its settings.' : 'Sumsub cannot be asked.',
    )
    return providerDown(answer.came ? answer.retryAfterSeconds : undefined)
  }

  async function applicantAt(path: string): Promise<Applicant | undefined> {
    const answer = await caller.get(path)
    const body = expect(answer, 'applicant')
    if (body === undefined) return undefined
    const applicant = readApplicant(body)
    if (!applicant && !isCompany(body)) throw down(answer, 'applicant')
    return applicant
  }

  const byId = (id: string) => applicantAt(`/resources/applicants/${id}/one`)
  const byReference = (reference: string) =>
    applicantAt(`/resources/applicants/-;externalUserId=${encodeURIComponent(reference)}/one`)

  async function importByToken({ token, reference }: ImportOrder): Promise<Applicant> {
    if (!tokenForm.test(token)) throw tokenRefused()
    const answer = await caller.post(importPath(account.level, token, reference))
    const refused = answer.came && isTokenRefusal(answer)
    // A token that is used, or an answer that was lost: did an earlier order of ours take effect?
    const made = answer.came && answer.status < 500 && !refused ? undefined : await byReference(reference)
    if (made) return made
    if (refused) {
      log.warn({ provider: 'sumsub', errorCode: codeOf(answer.body) }, 'Sumsub refuses a shared token.')
      throw tokenRefused()
    }
    const imported = answer.came && answer.status < 300 ? answer.body : undefined
    if (isCompany(imported)) throw tokenRefused()
    const id = idOf(fieldsOf(imported).id)
    const applicant = id === '' ? undefined : await byId(id)
    if (!applicant) throw down(answer, 'import')
    return applicant
  }

  /** The applicant with our reference, created if missing. */
  async function applicantFor(level: string, { reference, email, locale }: CheckOrder): Promise<string> {
    const known = await byReference(reference)
    if (known) return known.review.applicantId
    const path = `/resources/applicants?levelName=${encodeURIComponent(level)}`
    const answer = await caller.post(path, { externalUserId: reference, email, lang: locale })
    const made = answer.came && answer.status < 300 ? idOf(fieldsOf(answer.body).id) : ''
    if (made !== '') return made
    // Another tab may have made it, or an answer was lost.
    const after = await byReference(reference)
    if (!after) throw down(answer, 'applicant')
    return after.review.applicantId
  }

  async function start(order: CheckOrder): Promise<StartedCheck> {
    const { level } = account
    if (level === undefined) throw new Error('Sumsub starts no checks without a level.')
    const applicantId = await applicantFor(level, order)
    const answer = await caller.post(
      `/resources/sdkIntegrations/levels/-/websdkLink?lang=${encodeURIComponent(order.locale)}`,
      {
        levelName: level,
        userId: order.reference,
        applicantIdentifiers: { email: order.email },
        redirect: { successUrl: order.returnUrl, rejectUrl: order.returnUrl },
        ttlInSecs: linkSeconds,
      },
    )
    const goTo = answer.came && answer.status < 300 ? linkIn(answer.body) : undefined
    if (goTo === undefined) throw down(answer, 'link')
    return { applicantId, goTo }
  }

  return {
    name: 'sumsub',
    importByToken,
    start,
    pageOrigins: () => (account.level === undefined ? [] : ['https://*.sumsub.com']),
    applicant: async (id) => (idOf(id) === '' ? undefined : byId(id)),
    applicantStatus: async (id) => {
      if (idOf(id) === '') return undefined
      const body = expect(await caller.get(`/resources/applicants/${id}/status`), 'status')
      return body === undefined ? undefined : readReview(id, fieldsOf(body))
    },
    readCallback: (body, headers) => readSumsubCallback(account.webhookSecret, body, headers),
    close: () => caller.close(),
  }
}

/** How long a link to Sumsub's pages is valid. Customers who come later get another one. */
const linkSeconds = 1_800

/** The link of an answer: a browser is led over https, and nowhere else. */
function linkIn(body: unknown): string | undefined {
  const url = textOf(fieldsOf(body).url, 2_000)
  return URL.canParse(url) && new URL(url).protocol === 'https:' ? url : undefined
}

/** Companies are shared by tokens too; a customer is a person. */
const isCompany = (applicant: unknown): boolean => fieldsOf(applicant).type === 'company'

function importPath(level: string | undefined, token: string, reference: string): string {
  const [shared, user] = [`shareToken=${encodeURIComponent(token)}`, `userId=${encodeURIComponent(reference)}`]
  return level === undefined
    ? `/resources/applicants/-/import?${shared}&${user}`
    : `/resources/api/reusableIdentity/reuse?${shared}&levelName=${encodeURIComponent(level)}&${user}`
}

function isTokenRefusal({ status, body }: { status: number; body: unknown }): boolean {
  const { errorCode, description } = fieldsOf(body)
  if (status === 400) return isTokenCode(errorCode)
  return status === 401 && errorCode === undefined && /^Token is invalid\b/.test(textOf(description, 2_000))
}

const codeOf = (body: unknown): number | undefined => {
  const { errorCode } = fieldsOf(body)
  return typeof errorCode === 'number' ? errorCode : undefined
}

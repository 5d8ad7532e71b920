import { timingSafeEqual } from 'node:crypto'

import type { Ctx } from '../context.ts'
import { type Atomic, one } from '../../platform/db/sql.ts'
import { countCodeUse } from './code-limits.ts'
import { clearBounce } from '../mail/bounces.ts'
import { latinDigits } from '../../platform/language/typed-number.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { ownKeys } from '../../platform/privacy/data-key.ts'
import { warningEmail } from './code-email.ts'
import { emailHash } from './email.ts'
import { mailAboutCode } from './mail-about-code.ts'
import { type CodeOrder, codeKey, hashCode, isAlive, isAnswerable, linkToken } from './one-time-code.ts'
import { findOrMakePartnerCustomer, type PassedEmail } from './partner-customer.ts'
import { customerPlace, type Person } from './person.ts'
import * as queries from './customers.sql.ts'
import { customerProven } from './report-status.ts'

/**
 * What a customer answers, for an address that `partnerId`'s transaction has. Spaces and dashes in `code` do not count, and digits are
 * read from an Arabic keyboard, too.
 */
export type CodeAnswer = CodeOrder & { code: string }

/** An answer as it is judged: the digits, or what the link in the e-mail carries. */
type Judged = CodeOrder & ({ code: string } | { link: string })

/**
 * Proves an e-mail address by the code sent to it. Returns the customer, created if new, who then owns what the partner passed
 * with that address. Refuses and counts a wrong code; refuses an expired code, and any code after too many wrong ones.
 */
export async function checkCode(ctx: Ctx, answer: CodeAnswer): Promise<Proven> {
  const code = latinDigits(answer.code).replace(/[\s-]/g, '')
  if (!/^\d{6}$/.test(code)) throw refused('CODE_ILL_FORMED', 'The code has six digits.')

  const counted = await countCodeUse(ctx, 'guesses', answer)
  const outcome = await ctx.db.atomic((db) => judge(ctx, db, { ...answer, code }))
  if (typeof outcome !== 'string') {
    await counted.takeBack()
    return outcome
  }
  switch (outcome) {
    case 'dead':
      await counted.takeBackOfAddress()
      throw refused('CODE_EXPIRED', 'This code has expired. Please request a new one.')
    case 'spent':
      throw refused('CODE_SPENT', 'Too many wrong codes. Please request a new one.')
    case 'wrong':
      throw refused('CODE_WRONG', "That's not the code we sent. Please check the latest e-mail.")
  }
}

/** What is not the right answer. `spent`: wrong, and the last try that the code had. */
type Wrong = 'dead' | 'spent' | 'wrong'

/** Everything happens in a block that commits, whatever the outcome: a guess that was not counted would be free. */
async function judge(ctx: Ctx, db: Atomic, answer: Judged): Promise<Proven | Wrong> {
  const key = codeKey(ctx, answer)
  queries.lockCodes(db, key)
  const [known] = await queries.findCode(db, key)
  const isLink = 'link' in answer
  const works = isLink ? isAnswerable : isAlive
  if (!known || !works(ctx, known)) return 'dead'
  if (!isRight(ctx, known.hash, key, answer)) {
    // A link cannot be guessed: a wrong one takes no try from its owner.
    if (isLink) return 'wrong'
    queries.countTry(db, key)
    if (isAlive(ctx, { ...known, tries: known.tries + 1 })) return 'wrong'
    await mailAboutCode(ctx, db, answer, warningEmail('wrong_codes', { ...answer, company: ctx.config.company }))
    return 'spent'
  }
  queries.useUp(db, key)
  clearBounce(ctx, db, answer.email)
  return proveEmail(ctx, db, answer)
}

function isRight(ctx: Ctx, hash: Buffer, key: queries.CodeKey, answer: Judged): boolean {
  if ('code' in answer) return timingSafeEqual(hash, hashCode(ctx, key, answer.code))
  const [expected, given] = [Buffer.from(linkToken(ctx, hash)), Buffer.from(answer.link)]
  return expected.length === given.length && timingSafeEqual(expected, given)
}

/**
 * Proves an e-mail address by the link in the e-mail with the code, for a browser that is known to have asked for it. Undefined if the
 * link is not, or no longer, the right one. Wrong codes do not end it.
 */
export async function checkLink(ctx: Ctx, answer: CodeOrder & { link: string }): Promise<Proven | undefined> {
  const outcome = await ctx.db.atomic((db) => judge(ctx, db, answer))
  return typeof outcome === 'string' ? undefined : outcome
}

/** Who has proven an address: the customer, and what the partner knows of them. */
export type Proven = { customerId: bigint; partnerCustomerId: bigint }

/** Records that an address is proven. Returns its customer, created if new. */
export async function proveEmail(ctx: Ctx, db: Atomic, { partnerId, email }: PassedEmail): Promise<Proven> {
  const hash = emailHash(ctx, email)
  const [[known], passed] = await Promise.all([
    queries.findCustomer(db, hash),
    findOrMakePartnerCustomer(ctx, db, { partnerId, email }),
  ])
  const proven = (customerId: bigint): Proven => ({ customerId, partnerCustomerId: passed.id })
  if (known && known.id === passed.customerId) return proven(known.id)

  const customer = known ?? (await makeCustomer(ctx, db, email, hash))
  queries.linkPartnerCustomer(db, passed.id, customer.id)
  ownKeys(db, customer.id, [customer.dataKeyId, passed.dataKeyId])
  // A known customer's status may change now, with this partner and, through its imports, with others.
  if (known) ctx.queue.enqueue(db, [{ kind: customerProven, key: String(passed.id), runAt: ctx.clock.now() }])
  return proven(customer.id)
}

/** Two blocks may prove one new address at once: the second waits for the first, and takes its customer. */
async function makeCustomer(ctx: Ctx, db: Atomic, email: string, hash: Buffer): Promise<queries.CustomerRow> {
  const [id, dataKey] = await Promise.all([ctx.rowIds.next(), ctx.keyring.make(db)])
  const personal = dataKey.seal({ email } satisfies Person, customerPlace(id))
  const row = { id, emailHash: hash, dataKeyId: dataKey.id, personal, createdAt: ctx.clock.now() }
  const [made] = await queries.insertCustomer(db, row)
  return made ?? one(await queries.findCustomer(db, hash))
}

const refused = (code: string, message: string): Refusal =>
  new Refusal('BAD_REQUEST', message, [{ path: 'code', code, message }])

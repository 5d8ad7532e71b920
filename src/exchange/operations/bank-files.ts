import { approve, approversOf, approversOfAll } from '../approvals/approve.ts'
import type { Content } from '../approvals/content.ts'
import type { Sign } from '../approvals/signature.ts'
import { recordAudit } from '../audit/audit.ts'
import type { AuditAction } from '../audit/nouns.ts'
import type { Ctx } from '../context.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import { badField, fieldRefusal, Refusal, refuseNow } from '../../platform/lib/refusal.ts'
import {
  bankFilesToDecide,
  type DecidedFile,
  type FileTerms,
  ignoreAccount,
  ignoredAccounts,
  includeAccount,
  isBookedAccount,
  lockBankFile,
  skipNumbers,
  termsOf,
  type UnknownAccount,
  unknownAccounts,
  wantBankFile,
} from '../../rails/iso20022/files.ts'
import { paymentsWithin } from '../../rails/iso20022/booking/gap.ts'
import { lockBank } from '../../rails/iso20022/lease.ts'
import { type MissingNumbers, missingNumbers } from '../../rails/iso20022/troubles.ts'
import type { StaffOrder } from './by-staff.ts'

/** A file of a bank by its name, and by its rail where two banks have files of one name. */
export type FileName = { name: string; rail?: string | undefined; id?: bigint | undefined }

/** How many operators accept a file, since money that the bank's own figures do not explain moves. */
const needed = 2

/** What is accepted: the file's bytes, why they wait, and whether what they say is booked or only their alarm ends. */
export const bankFileContent = ({
  id,
  rail,
  name,
  checksum,
  is_readable: isBooked,
  causes,
}: Omit<DecidedFile, 'why'>): Content => ({
  kind: 'bank_file',
  id: String(id),
  rail,
  name,
  sha256: checksum,
  books: isBooked,
  causes: causes || undefined,
})

/** Whether enough operators have accepted a file. Asked again in the block that books it. */
export const isBankFileAccepted = async (
  ctx: Ctx,
  db: Db,
  file: Omit<DecidedFile, 'why' | keyof FileTerms>,
): Promise<boolean> =>
  (await approversOf(ctx, db, bankFileContent({ ...file, ...(await termsOf(db, file.id)) }))).length >= needed

/**
 * One operator's approval of a file that was refused. With the second one, it is read as it is: what does not continue the last
 * statement is booked, and what cannot be read or split lies in suspense as one amount, and so does what it opens differently by. Of
 * a file that cannot be read at all nothing is booked: only its alarm ends. NOT_FOUND without such a file, CONFLICT where nothing of it
 * waits for a person.
 */
export function acceptBankFile(
  ctx: Ctx,
  file: FileName,
  { actor, reason, sign }: StaffOrder & { sign?: Sign | undefined },
): Promise<{ approvals: number; needed: number; accepted: boolean; is_readable: boolean }> {
  return decide(ctx, file, reason, async (db, found) => {
    const why = whyNotAccepted(found)
    if (why !== undefined) throw new Refusal('CONFLICT', why)
    const approvers = await approve(ctx, db, bankFileContent(found), { actor, sign })
    const accepted = approvers.length >= needed
    if (accepted) wantBankFile(db, found.id, { wanted: 'accept', actor, reason })
    audit(ctx, db, found, { action: 'bank_file.accepted', actor, reason, details: { approvals: approvers.length } })
    return { approvals: approvers.length, needed, accepted, is_readable: found.is_readable }
  })
}

/** Why nobody can accept a file; undefined: two operators can. */
export const whyNotAccepted = ({ why }: Pick<DecidedFile, 'why'>): string | undefined =>
  why === '' ? 'Nothing of this file waits for a person.' : undefined

/** A file that waits for a person, and who has accepted it. */
export type BankFileToDecide = DecidedFile & { approved_by: string[] }

/** The files that wait for a person, the newest first. */
export async function listBankFilesToDecide(ctx: Ctx): Promise<BankFileToDecide[]> {
  const files = await bankFilesToDecide(ctx.db)
  const approved = await approversOfAll(ctx, ctx.db, files.map(bankFileContent))
  return files.map((file) => ({ ...file, approved_by: approved.get(String(file.id)) ?? [] }))
}

/** Numbers of statements that have not come. */
export const listMissingStatements = ({ db }: { db: Db }): Promise<MissingNumbers[]> =>
  missingNumbers(db, new Date(8_640_000_000_000_000))

/** Has a file read again: its account may be in the configuration now. What was booked of it is not booked again. */
export const rereadBankFile = (ctx: Ctx, file: FileName, { actor, reason }: StaffOrder): Promise<void> =>
  decide(ctx, file, reason, async (db, found) => {
    wantBankFile(db, found.id, { wanted: 'read', actor, reason })
    audit(ctx, db, found, { action: 'bank_file.read_again', actor, reason, details: {} })
    return Promise.resolve()
  })

/** Accounts in the files of banks that the configuration does not have. */
export const listUnknownAccounts = ({ db }: { db: Db }): Promise<UnknownAccount[]> => unknownAccounts(db)

/** Why an account cannot be ignored; undefined: it can. */
export const whyNotIgnored = async (
  { db }: { db: Db },
  { rail, account }: Pick<UnknownAccount, 'rail' | 'account'>,
): Promise<string | undefined> =>
  (await isBookedAccount(db, rail, account))
    ? `Statements of ${account} are booked, so its money is ours: add it to accounts in the configuration.`
    : undefined

/**
 * Leaves an account alone that is in a bank's files and not ours, now and in later ones, and has the files read again that wait because of
 * it. The audit, which nothing is erased from, has its end only: it may be a person's. No money moves: an account of the configuration
 * is booked all the same. NOT_FOUND where no file waits because of it, CONFLICT where its statements are booked.
 */
export async function ignoreBankAccount(
  ctx: Ctx,
  { rail, account }: Pick<UnknownAccount, 'rail' | 'account'>,
  { actor, reason }: StaffOrder,
): Promise<{ files: number }> {
  requireReason(reason)
  return ctx.db.atomic(async (db) => {
    const ofRail = (await listUnknownAccounts({ db })).filter((one) => one.rail === rail)
    const found = ofRail.find((one) => one.account === account)
    if (!found) {
      const field = ofRail.length === 0 ? 'rail' : 'account'
      throw fieldRefusal('NOT_FOUND', field, `No file of ${rail} waits because of the account ${account}.`)
    }
    refuseNow(await whyNotIgnored({ db }, found))
    const at = ctx.clock.now()
    ignoreAccount(db, { rail, account, reason, actor, at })
    for (const id of found.files) wantBankFile(db, id, { wanted: 'read', actor, reason })
    auditAccount(db, { action: 'bank_account.ignored', rail, account, reason, actor, at })
    return { files: found.files.length }
  })
}

/** Accounts that a person has said to ignore, each with the files that nothing of it was booked of because of that. */
export const listIgnoredAccounts = ({ db }: { db: Db }): Promise<UnknownAccount[]> => ignoredAccounts(db)

/** Ends that an account is ignored, and has the files read again that were passed over because of it. Audited as `ignoreBankAccount` is. */
export async function includeBankAccount(
  ctx: Ctx,
  { rail, account }: Pick<UnknownAccount, 'rail' | 'account'>,
  { actor, reason }: StaffOrder,
): Promise<{ files: number }> {
  requireReason(reason)
  return ctx.db.atomic(async (db) => {
    // A file that is stored meanwhile may be passed over.
    await lockBank(db, rail)
    const ofRail = (await ignoredAccounts(db)).filter((one) => one.rail === rail)
    const found = ofRail.find((one) => one.account === account)
    const at = ctx.clock.now()
    if (!found || !(await includeAccount(db, { rail, account, at }))) {
      const sentence = `No person has said that the account ${account} of ${rail} is ignored. What CONFIG_FILE ignores is changed there.`
      throw fieldRefusal('NOT_FOUND', ofRail.length === 0 ? 'rail' : 'account', sentence)
    }
    for (const id of found.files) wantBankFile(db, id, { wanted: 'read', actor, reason })
    auditAccount(db, { action: 'bank_account.included', rail, account, reason, actor, at })
    return { files: found.files.length }
  })
}

type AuditedAccount = { action: AuditAction; rail: string; account: string; reason: string; actor: string; at: Date }

const auditAccount = (db: Atomic, { action, rail, account, reason, actor, at }: AuditedAccount): void =>
  recordAudit(db, {
    at,
    actor,
    action,
    subject: `rail:${rail}`,
    before: null,
    after: { account_ends: account.slice(-4), reason },
  })

/** What is skipped: a number, or several (`2-5`). Of a jump of more numbers than a year has days, one number stands for all. */
const oneYear = 366n

/**
 * Ends the alarm about statements that will not come: those of the numbers that are missing now, and not what has these numbers in
 * another year. NOT_FOUND where none of them is missing, CONFLICT where several accounts lack them and no account is named, or
 * a payment of ours may be in it.
 */
export async function skipStatements(
  ctx: Ctx,
  { rail, numbers, account }: { rail: string; numbers: string; account?: string | undefined },
  { actor, reason }: StaffOrder,
): Promise<{ first: string; last: string }> {
  const [, from = '', to = from] = /^(\d{1,18})(?:-(\d{1,18}))?$/.exec(numbers) ?? []
  if (from === '') throw badField('numbers', 'Give a number, as in 17, or several, as in 17-19.')
  requireReason(reason)
  return ctx.db.atomic(async (db) => {
    // A statement that is stored meanwhile may have the number.
    await lockBank(db, rail)
    const at = ctx.clock.now()
    const asked = { first: BigInt(from), last: BigInt(to || from) }
    const ofRail = (await listMissingStatements({ db })).filter((one) => one.rail === rail)
    const ofAccount = ofRail.filter((one) => account === undefined || one.account === account)
    const touched = ofAccount.filter((one) => one.first <= asked.last && asked.first <= one.last)
    if (touched.length === 0) {
      const field = ofRail.length === 0 ? 'rail' : ofAccount.length === 0 ? 'account' : 'numbers'
      throw fieldRefusal('NOT_FOUND', field, `No statement ${numbers} is missing at ${rail}.`)
    }
    const accounts = [...new Set(touched.map((one) => one.account))]
    if (accounts.length > 1)
      throw fieldRefusal('CONFLICT', 'account', `Several accounts lack it: name one (${accounts.join(', ')}).`)
    const skipped = touched.map((gap) => withinGap(asked, gap))
    for (const one of skipped) refuseNow(await whyNotSkipped({ db }, one))
    for (const one of skipped) skipNumbers(db, { ...one, reason, actor, at })
    const [first, last] = [least(skipped.map((one) => one.first)), -least(skipped.map((one) => -one.last))]
    recordAudit(db, {
      at,
      actor,
      action: 'bank_statement.skipped',
      subject: `rail:${rail}`,
      before: null,
      after: { first: String(first), last: String(last), reason },
    })
    return { first: String(first), last: String(last) }
  })
}

/** Why one operator does not skip numbers; undefined: one can. */
export async function whyNotSkipped({ db }: { db: Db }, gap: MissingNumbers): Promise<string | undefined> {
  const payments = await paymentsWithin(db, gap)
  return payments.length === 0
    ? undefined
    : `The debit of a payment of ours may be in it (${payments.join(', ')}): two operators decide about it, with break book, on the page /console/money.`
}

const least = (numbers: bigint[]): bigint => numbers.reduce((one, other) => (one < other ? one : other))

/** The numbers of a gap that a person has named. */
function withinGap(asked: { first: bigint; last: bigint }, gap: MissingNumbers): MissingNumbers {
  const isJump = asked.first === asked.last && gap.last - gap.first > oneYear
  return isJump ? gap : { ...gap, first: -least([-asked.first, -gap.first]), last: least([asked.last, gap.last]) }
}

const requireReason = (reason: string): void => {
  if (reason.trim() === '') throw badField('reason', 'A reason is required.')
}

async function decide<Result>(
  { db }: Ctx,
  file: FileName,
  reason: string,
  work: (db: Atomic, file: DecidedFile) => Promise<Result>,
): Promise<Result> {
  requireReason(reason)
  return db.atomic(async (block) => {
    const found = await lockBankFile(block, file)
    if (!found) throw new Refusal('NOT_FOUND', `There is no file ${file.name}.`)
    return work(block, found)
  })
}

const audit = (
  { clock }: Ctx,
  db: Atomic,
  { id, rail, name }: DecidedFile,
  { action, actor, reason, details }: { action: AuditAction; actor: string; reason: string; details: object },
): void =>
  recordAudit(db, {
    at: clock.now(),
    actor,
    action,
    subject: `bank_file:${id}`,
    before: null,
    after: { rail, file: name, reason, ...details },
  })

import { createHash } from 'node:crypto'

import type { Ctx } from '../context.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { indexHash } from '../../platform/privacy/master-key.ts'
import { codeCaps, codeEmailsOver, type CodeUser } from './code-limits.ts'
import { countingSince } from './one-time-code.ts'
import * as queries from './customers.sql.ts'

/**
 * What a browser has to solve before a code is sent: an `answer` for which SHA-256 of `challenge.answer` begins with `bits` zero bits
 * (Hashcash). It costs a person a second, and who sprays codes a second for each.
 */
export type Task = { challenge: string; bits: number }

type CodeRequest = Omit<CodeUser, 'email'> & { email: string | null }

/** No browser is asked for more: about 4,000,000 hashes. */
const mostBits = 22

/**
 * The task of a browser that may ask for a code; undefined while few were asked for: by its network, by all together, for its order, and to
 * the address. Each doubling adds a bit. It is another one after each e-mail of the transaction, so that an answer serves once.
 */
export async function taskFor(ctx: Ctx, request: CodeRequest): Promise<Task | undefined> {
  const { transactionId, network } = request
  const { proofOfWork } = codeCaps(ctx)
  if (!proofOfWork || network === undefined || !ctx.config.rateLimits.on) return undefined
  const times = await codeEmailsOver(ctx, request, proofOfWork)
  if (times === 0) return undefined
  const [counted] = await queries.countSent(ctx.db, transactionId, countingSince(ctx))
  const subject = `${transactionId}\n${network}\n${counted?.sent ?? 0n}`
  const challenge = indexHash(ctx.secrets, 'proof-of-work', subject).subarray(0, 18).toString('base64url')
  const bits = Math.max(proofOfWork.bits, Math.min(mostBits, proofOfWork.bits + Math.floor(Math.log2(times))))
  return { challenge, bits }
}

/** Refuses (BAD_REQUEST, `TASK_NEEDED`) a request for a code that must come with an answer and does not. */
export async function demandAnswer(ctx: Ctx, asked: CodeRequest & { answer?: string | undefined }): Promise<void> {
  const task = await taskFor(ctx, asked)
  if (!task || isSolved(task, asked.answer ?? '')) return
  const message = 'Many codes were requested. The browser has to solve a task first.'
  throw new Refusal('BAD_REQUEST', message, [{ path: 'task', code: 'TASK_NEEDED', message }])
}

/** An answer is a number: one in 256 missing or made-up answers would otherwise solve a task of 8 bits. */
function isSolved({ challenge, bits }: Task, answer: string): boolean {
  if (!/^\d{1,16}$/.test(answer)) return false
  const hash = createHash('sha256').update(`${challenge}.${answer}`).digest()
  return Math.clz32(hash.readUInt32BE()) >= bits
}

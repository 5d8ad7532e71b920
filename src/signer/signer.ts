import { createHash, verify } from 'node:crypto'

import type { Clock } from '../platform/lib/clock.ts'
import type { Log } from '../platform/lib/log.ts'
import { type Payment, SignerRefusal, type SigningFamily } from '../rails/keys/signer.ts'
import type { Journal, JournalEntry } from './journal.ts'
import { approvalContent, judge, resumeContent } from './judge.ts'
import { openMemory, resumeCount } from './memory.ts'
import type { Policy } from './policy.ts'

/** A signature of an approver, in base64, over the content that `approvalContent` or `resumeContent` gives. */
export type ApproverSignature = { approver: string; signature: string }

export type SignerStatus = { halted: string | null; resumed_by: string[]; signatures: number; assets: string[] }

/** The signer: keys, policy and memory. One request at a time. */
export type KeySigner = {
  publicKeys(family: string, chain: string): Promise<unknown>
  /** Signs what the policy allows. The same parts get the same bytes again and count once, so that an answer may be lost. */
  sign(family: string, parts: object): Promise<unknown>
  /** Once it returns, nothing is signed until two approvers resume. */
  halt(reason: string): Promise<void>
  resume(given: ApproverSignature): Promise<{ status: 'waiting_for_second_operator' | 'resumed' }>
  approve(payment: Payment, given: ApproverSignature): Promise<void>
  status(): SignerStatus
}

type Dependencies = {
  policy: Policy
  journal: Journal
  clock: Pick<Clock, 'realNow'>
  log: Log
  families: Readonly<Record<string, SigningFamily<never, unknown, unknown>>>
}

/** Opens the signer on its journal. Nothing is signed that is not on the disk first. */
export function openKeySigner({ policy, journal, clock, log, families }: Dependencies): KeySigner {
  const memory = openMemory(journal.lines)
  let before: Promise<unknown> = Promise.resolve()
  // Known at once, before what waits ahead of the halt's line.
  let halting = 0

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = before.then(work)
    before = turn.catch(() => undefined)
    return turn
  }
  async function record(entry: JournalEntry): Promise<void> {
    memory.learn(await journal.append(entry, clock.realNow()))
  }
  function familyOf(name: string): SigningFamily<object, unknown, unknown> {
    const family = Object.hasOwn(families, name) ? families[name] : undefined
    if (!family) throw new SignerRefusal('malformed', 'The signer does not know this family of chains.')
    return family
  }
  function refuseHalted(): void {
    const halt = memory.halt()
    if (halting > 0 || halt) throw new SignerRefusal('halted', 'The signer is halted.')
  }
  function checkSignature(content: string, { approver, signature }: ApproverSignature): void {
    const key = policy.approvers.get(approver)
    if (!key || !verify(null, Buffer.from(content), key, Buffer.from(signature, 'base64'))) {
      throw new SignerRefusal('policy', 'This is not a signature of an approver for this content.')
    }
  }
  async function sign(family: string, parts: object): Promise<unknown> {
    refuseHalted()
    const known = familyOf(family)
    const digest = createHash('sha256')
      .update(JSON.stringify([family, parts]))
      .digest('hex')
    if (!memory.hasSigned(digest)) {
      const content = await known.read(parts)
      judge(policy, memory, content, clock.realNow())
      const { payments, fee, exclusive, claims } = content
      await record({
        kind: 'signature',
        digest,
        payments: payments.map((one) => ({ ...one, amount: String(one.amount) })),
        fee: { asset: fee.asset, amount: String(fee.amount) },
        exclusive,
        claims,
      })
    }
    refuseHalted()
    const signed = await known.sign(parts)
    refuseHalted()
    return signed
  }

  return {
    publicKeys: (family, chain) => familyOf(family).publicKeys(chain),
    sign: (family, parts) =>
      inTurn(() => sign(family, parts)).catch((error: unknown) => {
        if (error instanceof SignerRefusal) log.warn({ family, code: error.code }, `Refused to sign: ${error.message}`)
        throw error
      }),
    halt: async (reason) => {
      halting += 1
      await inTurn(async () => {
        await record({ kind: 'halt', reason })
        halting -= 1
      })
      log.warn({ reason }, 'Halted: nothing is signed.')
    },
    resume: (given) =>
      inTurn(async () => {
        const halt = memory.halt()
        if (!halt) throw new SignerRefusal('policy', 'The signer is not halted.')
        checkSignature(resumeContent(halt.id), given)
        if (halt.resumedBy.has(given.approver)) {
          throw new SignerRefusal('policy', `Another approver must resume: ${resumeCount} are needed.`)
        }
        await record({ kind: 'resume', halt: halt.id, ...given })
        return { status: memory.halt() ? 'waiting_for_second_operator' : 'resumed' }
      }),
    approve: (payment, given) =>
      inTurn(async () => {
        const content = approvalContent(payment)
        checkSignature(content, given)
        if (!memory.approversOf(content).has(given.approver)) await record({ kind: 'approval', content, ...given })
      }),
    status: () => {
      const halt = memory.halt()
      return {
        halted: halt?.id ?? null,
        resumed_by: [...(halt?.resumedBy ?? [])],
        signatures: journal.lines.filter(({ entry }) => entry.kind === 'signature').length,
        assets: [...new Set(policy.caps.map(({ asset }) => asset))],
      }
    },
  }
}

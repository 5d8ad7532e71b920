import { createHash, verify } from 'node:crypto'

import type { Clock } from '../platform/lib/clock.ts'
import type { Log } from '../platform/lib/log.ts'
import type { JournalTransfer } from '../rails/chain/ended.ts'
import { type Payment, SignerRefusal, type SigningFamily } from '../rails/keys/signer.ts'
import { beginning, type Journal, type JournalEntry } from './journal.ts'
import { approvalContent, type ApprovalBounds, longestApprovalMs } from './approval.ts'
import { judge, resumeContent } from './judge.ts'
import { openMemory, resumeCount } from './memory.ts'
import { mostOf, type Policy } from './policy.ts'

/** A signature of an approver, in base64, over the content that `approvalContent` or `resumeContent` gives. */
export type ApproverSignature = { approver: string; signature: string }

/** `lines` and `hash`: the number and the hash of the journal's last line. */
export type SignerStatus = {
  halted: string | null
  resumed_by: string[]
  signatures: number
  assets: string[]
  /** The most that one payment of an asset may have, its fee included, in smallest units. */
  most: Record<string, string>
  /** The version of the policy, which approvals name, and its bounds of fees by chain, in smallest units. */
  policy: string
  fees: Record<string, string>
  /** Where the row numbers of our addresses end. */
  own_addresses: string
  lines: number
  hash: string
}

/** A line of the journal by its number and its hash. */
export type SeenLine = { lines: number; hash: string }

/** A payment as it was signed, in smallest units, and the line of the journal that says so. */
export type SignedLine = { line: number; payout: string; asset: string; amount: string; destination: string }

/** `from` and `hash`: the hashes of the line that was asked for, and of the last one read, `upTo`; there are more where it is before `lines`. */
export type SignedPage = { from: string | null; upTo: number; hash: string; lines: number; payments: SignedLine[] }

/** A page ends with the line that reaches this; one line has less than a megabyte. */
const pageBytes = 1_000_000
const pageLines = 1_000

/** The signer: keys, policy and memory. One request at a time. */
export type KeySigner = {
  publicKeys(family: string, chain: string): Promise<unknown>
  /** Signs what the policy allows. The same parts get the same bytes again and count once, so that an answer may be lost. */
  sign(family: string, parts: object): Promise<unknown>
  /** Once it returns, nothing is signed until two approvers resume. */
  halt(reason: string): Promise<void>
  resume(given: ApproverSignature): Promise<{ status: 'waiting_for_second_operator' | 'resumed' }>
  approve(payment: Payment, bounds: ApprovalBounds, given: ApproverSignature): Promise<void>
  status(): SignerStatus
  /** What was signed for a payout, once what is under way has ended. */
  signedFor(payout: string): Promise<JournalTransfer[]>
  /** The payments of the journal after a line, in pages. */
  signedAfter(line: number): SignedPage
  /** Whether the journal has a line that somebody has seen before. An older copy of the journal does not. */
  hasLine(seen: SeenLine): boolean
}

type Dependencies = {
  policy: Policy
  journal: Journal
  clock: Pick<Clock, 'realNow'>
  log: Log
  families: Readonly<Record<string, SigningFamily<never, unknown, unknown>>>
}

/** A family names its transfers `txid` or `hash`. */
type KeptTransfer = { raw?: string; txid?: string; hash?: string }

const transfersOf = ({ lines }: Journal, payout: string): JournalTransfer[] =>
  lines.flatMap(({ entry }) => {
    if (entry.kind !== 'signature' || entry.payments.every((one) => one.payout !== payout)) return []
    const { raw = null, txid, hash = null } = (entry.signed ?? {}) as KeptTransfer
    return [{ id: txid ?? hash, raw, exclusive: entry.exclusive }]
  })

/** Opens the signer on its journal. No bytes leave it that are not on the disk first. */
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
    if (!family) throw new SignerRefusal('malformed', 'The signer has no keys of this family of chains.')
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
  function refuseBounds({ policy: version, expires }: ApprovalBounds): void {
    if (version !== policy.version)
      throw new SignerRefusal(
        'policy',
        'The approval is for a different version of the policy. Approve again under the current one.',
      )
    const left = expires.getTime() - clock.realNow().getTime()
    if (left <= 0) throw new SignerRefusal('approval_expired', 'The approval has expired.')
    if (left > longestApprovalMs) throw new SignerRefusal('policy', 'An approval is valid for 30 days at most.')
  }
  async function sign(family: string, parts: object): Promise<unknown> {
    refuseHalted()
    const known = familyOf(family)
    const digest = createHash('sha256')
      .update(JSON.stringify([family, parts]))
      .digest('hex')
    const before = memory.signed(digest)
    if (before?.bytes !== undefined) return before.bytes
    const content = before ? undefined : await known.read(parts)
    if (content) judge(policy, memory, content, clock.realNow())
    refuseHalted()
    const signed = await known.sign(parts)
    if (content) {
      const { payments, fee, exclusive, claims } = content
      await record({
        kind: 'signature',
        digest,
        payments: payments.map((one) => ({ ...one, amount: String(one.amount) })),
        fee: { asset: fee.asset, amount: String(fee.amount) },
        exclusive,
        claims,
        signed,
      })
    }
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
    approve: (payment, bounds, given) =>
      inTurn(async () => {
        const content = approvalContent(payment, bounds)
        checkSignature(content, given)
        refuseBounds(bounds)
        const isKnown = memory
          .approvalsOf(payment)
          .some(
            (one) => one.approver === given.approver && one.bounds && approvalContent(payment, one.bounds) === content,
          )
        if (!isKnown) await record({ kind: 'approval', content, ...given })
      }),
    signedFor: (payout) => inTurn(() => Promise.resolve(memory.payment(payout) ? transfersOf(journal, payout) : [])),
    signedAfter: (line) => {
      const { lines } = journal
      const payments: SignedLine[] = []
      let upTo = line
      for (let bytes = 0; upTo < lines.length && upTo < line + pageLines && bytes < pageBytes; upTo += 1) {
        const entry = lines[upTo]?.entry
        if (entry?.kind !== 'signature') continue
        bytes += JSON.stringify(entry.payments).length
        payments.push(...entry.payments.map((payment) => ({ line: upTo + 1, ...payment })))
      }
      const hashAt = (number: number) => (number === 0 ? beginning : (lines[number - 1]?.hash ?? null))
      return { from: hashAt(line), upTo, hash: hashAt(upTo) ?? beginning, lines: lines.length, payments }
    },
    hasLine: ({ lines, hash }) => journal.lines[lines - 1]?.hash === hash,
    status: () => {
      const halt = memory.halt()
      return {
        halted: halt?.id ?? null,
        resumed_by: [...(halt?.resumedBy ?? [])],
        signatures: journal.lines.filter(({ entry }) => entry.kind === 'signature').length,
        assets: [...new Set(policy.caps.map(({ asset }) => asset))],
        policy: policy.version,
        fees: Object.fromEntries(
          [...policy.fees].flatMap(([chain, { amount }]) => (amount === undefined ? [] : [[chain, String(amount)]])),
        ),
        own_addresses: String(policy.ownAddresses),
        most: Object.fromEntries([...mostOf(policy)].map(([asset, units]) => [asset, String(units)])),
        lines: journal.lines.length,
        hash: journal.lines.at(-1)?.hash ?? beginning,
      }
    },
  }
}

import { createPrivateKey, sign } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { Answer, Invocation } from '../../doors/commands/command.ts'
import { findNetwork, type Network } from '../../reference/catalog/network.ts'
import { bookedAsset, nativeAsset } from '../../reference/catalog/sync-assets.ts'
import { after, systemClock } from '../../platform/lib/clock.ts'
import { parseDuration } from '../../platform/lib/duration.ts'
import { createLog } from '../../platform/lib/log.ts'
import { parseAmount } from '../../platform/money/amount.ts'
import { openSignerClient, type SignerClient } from '../../rails/keys/signer-client.ts'
import { destinationOn } from '../../signer/allow-list.ts'
import { approvalContent, type ApprovalBounds } from '../../signer/approval.ts'
import { resumeContent } from '../../signer/judge.ts'
import { repairJournal } from '../../signer/repair.ts'
import { isAnswered } from '../../signer/serve.ts'
import { initSigner, policyProblem, runSigner, socketIn } from '../../signer/open.ts'
import type { SignerStatus } from '../../signer/signer.ts'

/** Makes the signer's folder. */
export async function init({ flags: { dir = '', keep } }: Invocation): Promise<Answer> {
  const made = await initSigner(dir, { keep: keep !== undefined })
  if (made.length === 0) return { json: { dir, made }, text: `${dir} has a signer already. Nothing was made.` }
  return {
    json: { dir, made },
    text: `Made ${made.join(', ')} in ${dir}. Keep copies of keystores and their passwords elsewhere. Write policy.yaml, then: cambio signer run --dir ${dir}`,
  }
}

/** Says what keeps the signer from reading its policy. */
export async function check({ flags: { dir = '' } }: Invocation): Promise<Answer> {
  const problem = await policyProblem(dir)
  return {
    json: { ok: problem === undefined, problem: problem ?? null },
    text: problem ?? `${join(dir, 'policy.yaml')} has no faults.`,
    exitCode: problem === undefined ? 0 : 1,
  }
}

/** Runs the signer until it is stopped by Ctrl-C or SIGTERM. */
export async function run({ flags: { dir = '', 'socket-group': group } }: Invocation): Promise<Answer> {
  const log = createLog('info')
  const { stop } = await runSigner(dir, { clock: systemClock(), log, group })
  log.info({ socket: socketIn(dir) }, 'The signer listens.')
  await new Promise<void>((resolve) => {
    process.once('SIGINT', resolve)
    process.once('SIGTERM', resolve)
  })
  await stop()
  return { json: null }
}

const clientOf = ({ flags: { dir = '' } }: Invocation): SignerClient => openSignerClient(socketIn(dir))

/** What a running signer says of itself. */
export async function show(input: Invocation): Promise<Answer> {
  return { json: { ...(await clientOf(input).call<SignerStatus>('/status', {})) } }
}

/** Brings a journal back to its whole lines, and shows what it drops. The signer must not run meanwhile. */
export async function repair({ flags: { dir = '' } }: Invocation): Promise<Answer> {
  if (await isAnswered(socketIn(dir))) throw new Error('The signer runs. Stop it first.')
  const { lines, hash, dropped, copy } = await repairJournal(join(dir, 'journal.jsonl'), systemClock().realNow())
  const json = { lines, hash, dropped, copy: copy ?? null }
  const whole = `The journal has ${lines} whole lines.`
  if (copy === undefined) return { json, text: `${whole} Nothing was dropped.` }
  const shown = dropped.map(({ line, text, payouts }) => {
    const signed = payouts.length > 0 ? ` It was about the payouts ${payouts.join(', ')}.` : ''
    return `Line ${line}:${signed}\n${text}`
  })
  return { json, text: `${whole} Dropped, and kept in ${copy}:\n\n${shown.join('\n\n')}` }
}

/** Stops all signing at once. */
export async function halt(input: Invocation): Promise<Answer> {
  await clientOf(input).call('/halt', { reason: input.flags.reason ?? '' })
  return { json: { status: 'halted' }, text: 'Halted: the signer signs nothing.' }
}

/** Resumes as one approver; the second, different one ends the halt. */
export async function resume(input: Invocation): Promise<Answer> {
  const client = clientOf(input)
  const { halted } = await client.call<SignerStatus>('/status', {})
  const given = await signedBy(input, resumeContent(halted ?? ''))
  const { status } = await client.call<{ status: string }>('/resume', given)
  const text = status === 'resumed' ? 'Resumed.' : 'Another approver must run the same command.'
  return { json: { status }, text }
}

/** Hands one approver's signature over exactly one payment to the signer. */
export async function approve(input: Invocation): Promise<Answer> {
  const [payout = ''] = input.args
  const { asset = '', amount: text = '', to = '' } = input.flags
  const booked = bookedAsset(asset)
  if (!booked) throw new Error(`Unknown asset: ${asset}.`)
  const network = findNetwork(booked.network)
  const destination = network && destinationOn(network, to)
  if (!network || destination === undefined)
    throw new Error(`This is not an address of ${booked.network} that the signer knows.`)
  const amount = parseAmount(text, booked)
  const bounds = await boundsOf(input, network)
  const given = await signedBy(input, approvalContent({ payout, asset, amount, destination }, bounds))
  const [maxFee, expires] = [String(bounds.maxFee), bounds.expires.toISOString()]
  const said = { payout, asset, amount: String(amount), destination, max_fee: maxFee, policy: bounds.policy, expires }
  await clientOf(input).call('/approve', { ...said, ...given })
  return {
    json: { status: 'approved', payout, approver: given.approver, expires },
    text: `Approved payout ${payout} until ${expires}.`,
  }
}

/** What bounds an approval: the flags, or else what the policy says of fees, and a day. */
async function boundsOf(input: Invocation, network: Network): Promise<ApprovalBounds> {
  const { 'max-fee': text, valid = 'P1D' } = input.flags
  const { policy, fees } = await clientOf(input).call<Partial<SignerStatus>>('/status', {})
  if (policy === undefined || fees === undefined) {
    throw new Error('The signer is of an earlier version: update it first.')
  }
  const most = fees[network.code]
  if (text === undefined && most === undefined) {
    throw new Error(`Give --max-fee: the policy has no bound for fees of ${network.code}.`)
  }
  const maxFee = text === undefined ? BigInt(most ?? '0') : parseAmount(text, nativeAsset(network))
  return { maxFee, policy, expires: after(systemClock().realNow(), parseDuration(valid)) }
}

async function signedBy(
  { flags: { approver = '', key = '' } }: Invocation,
  content: string,
): Promise<{ approver: string; signature: string }> {
  const text = await readFile(key, 'utf8').catch(() => {
    throw new Error(`The key ${key} cannot be read.`)
  })
  const signature = sign(null, Buffer.from(content), createPrivateKey(text)).toString('base64')
  return { approver, signature }
}

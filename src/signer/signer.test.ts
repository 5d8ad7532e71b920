import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'

import { signerFolder } from '../../test/support/signer-folder.ts'
import { after as later } from '../platform/lib/clock.ts'
import { silentLog } from '../platform/lib/log.ts'
import { chainRules } from '../rails/bitcoin/networks.ts'
import { readTransfer } from '../rails/bitcoin/wire.ts'
import { addressOf } from '../reference/addresses/output-script.ts'
import { openSignerClient } from '../rails/keys/signer-client.ts'
import { SignerRefusal, type SignerRefusalCode } from '../rails/keys/signer.ts'
import { approvalContent } from './approval.ts'
import { resumeContent } from './judge.ts'
import { runSigner, socketIn } from './open.ts'
import type { SignerStatus } from './signer.ts'

const mnemonic = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
const chain = 'BTC regtest'
/** Two destinations that the policy allows, and one that it does not. */
const scripts = [`0014${'11'.repeat(20)}`, `0014${'22'.repeat(20)}`] as const
const stranger = `0014${'aa'.repeat(20)}`
const { rules, forms } = chainRules({ network: 'regtest' })
const friends = scripts.map((script) => addressOf(script, rules, forms))
const perTransfer = 1_000_000n
const perHour = 3_000_000n
const perDay = 5_000_000n

const approvers = new Map<string, KeyObject>()
let policy = ''
let master = ''
let folder = ''
let now = new Date('2026-01-05T10:00:00Z')
let running: { stop(): Promise<void> } | undefined

const start = async (): Promise<void> => {
  running = await runSigner(folder, { clock: { realNow: () => now }, log: silentLog })
}
const stop = async (): Promise<void> => {
  await running?.stop()
  running = undefined
}
const call = <T>(path: string, body: object): Promise<T> => openSignerClient(socketIn(folder)).call<T>(path, body)
const journal = () => join(folder, 'journal.jsonl')

type Output = { script: string; amount: bigint; payout?: string; path?: { branch: 0 | 1; position: string } }
const partsOf = (inputs: readonly [spent: number, amount: bigint][], outputs: readonly Output[]) => ({
  chain,
  inputs: inputs.map(([spent, amount]) => ({
    txid: spent.toString(16).padStart(64, '0'),
    vout: 0,
    amount: String(amount),
    branch: 0,
    position: String(spent),
  })),
  outputs: outputs.map((one) => ({ ...one, amount: String(one.amount) })),
})
const signParts = (parts: object) => call<{ raw: string; txid: string }>('/sign', { family: 'bitcoin', parts })
/** One payment of 10,000 with a fee of 1,000, apart from what the test changes. */
const first: string = scripts[0]
const pay = ({ payout = '1', spent = 1, amount = 10_000n, fee = 1_000n, script = first } = {}) =>
  signParts(partsOf([[spent, amount + fee]], [{ script, amount, payout }]))
const refused =
  (code: SignerRefusalCode) =>
  (error: unknown): boolean =>
    error instanceof SignerRefusal && error.code === code
const signed = (name: string, content: string) => {
  const key = approvers.get(name)
  assert(key)
  return { approver: name, signature: sign(null, Buffer.from(content), key).toString('base64') }
}

before(async () => {
  master = mkdtempSync(join(tmpdir(), 'cambio-signer-'))
  const lines = ['ada', 'ben', 'cem'].map((name) => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    approvers.set(name, privateKey)
    return `  - { name: ${name}, public_key: "${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}" }`
  })
  policy = `caps:
  - { asset: BTC-BTC, per: transaction, max: "0.01" }
  - { asset: BTC-BTC, per: PT1H, max: "0.03" }
  - { asset: BTC-BTC, per: P1D, max: "0.05" }
destinations: { allow: [${friends.map((friend) => `"BTC:${friend}"`).join(', ')}] }
test_chains: [{ network: BTC, chain: regtest }]
approvals: [{ asset: BTC-BTC, above: "0.005", count: 2 }]
approvers:
${lines.join('\n')}
`
  await signerFolder(master, mnemonic, policy)
})
after(() => rmSync(master, { recursive: true, force: true }))

beforeEach(async () => {
  await stop()
  folder = master
  for (const file of ['journal.jsonl', 'journal.jsonl.head']) rmSync(join(folder, file), { force: true })
  writeFileSync(join(folder, 'policy.yaml'), policy)
  now = new Date('2026-01-05T10:00:00Z')
  await start()
})
after(stop)

describe('the signer', () => {
  it('gives the account key, signs what the policy allows, and its socket is for its own user', async () => {
    const { keys } = await call<{ keys: string }>('/keys', { family: 'bitcoin', chain })
    assert.match(keys, /^xpub/)
    const { outputs } = readTransfer((await pay()).raw)
    assert.deepEqual(outputs, [{ script: scripts[0], amount: 10_000n }])
    assert.equal(statSync(socketIn(folder)).mode & 0o777, 0o600)
    await assert.rejects(start(), /Another signer listens/)
  })

  it('refuses a destination, an amount, a fee and a chain outside the policy', async () => {
    await assert.rejects(pay({ script: stranger }), refused('policy'))
    await assert.rejects(pay({ amount: perTransfer + 1n }), refused('approval_missing'))
    await assert.rejects(pay({ fee: perTransfer }), refused('cap'))
    const own = partsOf([[1, 20_000n]], [{ script: stranger, amount: 10_000n, path: { branch: 1, position: '0' } }])
    await assert.rejects(signParts(own), refused('malformed'))
    await assert.rejects(signParts({ ...own, chain: 'DOGE mainnet' }), refused('malformed'))
    assert.equal(readFileSync(journal(), 'utf8'), '')
  })

  it('pays a payout once: another amount, destination or coin is refused, also after a restart; a higher fee is signed', async () => {
    const first = await pay()
    await stop()
    await start()
    await assert.rejects(pay({ amount: 9_000n, fee: 2_000n }), refused('already_signed'))
    await assert.rejects(pay({ script: scripts[1] }), refused('already_signed'))
    await assert.rejects(pay({ spent: 2 }), refused('already_signed'))
    const raised = await signParts(
      partsOf(
        [
          [1, 11_000n],
          [2, 1_000n],
        ],
        [{ script: scripts[0], amount: 10_000n, payout: '1' }],
      ),
    )
    assert.notEqual(raised.txid, first.txid)
    // A third transfer that excludes the second one only could be confirmed next to the first.
    await assert.rejects(
      signParts(
        partsOf(
          [
            [2, 1_000n],
            [3, 20_000n],
          ],
          [{ script: scripts[0], amount: 10_000n, payout: '1' }],
        ),
      ),
      refused('already_signed'),
    )
  })

  it('refuses a second statement about an amount that is spent', async () => {
    await pay({ payout: '1', spent: 1, fee: 1_000n })
    await assert.rejects(pay({ payout: '2', spent: 1, fee: 2_000n }), refused('already_signed'))
  })

  it('gives the same bytes again after its answer was lost, and counts them once', async () => {
    const first = await pay()
    const lines = readFileSync(journal(), 'utf8')
    await stop()
    await start()
    assert.deepEqual(await pay(), first)
    assert.equal(readFileSync(journal(), 'utf8'), lines)
  })

  it('asks for approvals over exactly this payment, by different approvers', async () => {
    const payment = { payout: '7', asset: 'BTC-BTC', amount: 600_000n, destination: scripts[0] }
    const fields = { ...payment, amount: String(payment.amount) }
    const attempt = () => pay({ payout: '7', amount: payment.amount })
    const { policy: version } = await call<SignerStatus>('/status', {})
    const approve = (name: string, what = payment) => {
      const bounds = { maxFee: 1_000n, policy: version, expires: later(now, 3_600_000) }
      const said = { max_fee: '1000', policy: version, expires: bounds.expires.toISOString() }
      return call('/approve', { ...fields, ...said, ...signed(name, approvalContent(what, bounds)) })
    }
    await assert.rejects(attempt(), refused('approval_missing'))
    await approve('ada')
    await approve('ada')
    await assert.rejects(attempt(), refused('approval_missing'))
    await assert.rejects(approve('ben', { ...payment, amount: 1n }), refused('policy'))
    await approve('ben')
    await assert.rejects(pay({ payout: '8', amount: payment.amount }), refused('approval_missing'))
    now = later(now, 3_600_000)
    await assert.rejects(attempt(), refused('approval_expired'))
    await approve('ada')
    await assert.rejects(attempt(), refused('approval_expired'))
    await approve('ben')
    await attempt()
  })

  it('signs nothing once a halt has returned, also after a restart, until two approvers resume', async () => {
    const many = Array.from({ length: 30 }, (_, index) => pay({ payout: String(index), spent: index + 1 }))
    const done = call('/halt', { reason: 'drill' }).then(() => readFileSync(journal(), 'utf8'))
    await Promise.allSettled(many)
    const lines = await done
    await assert.rejects(pay({ payout: '99', spent: 99 }), refused('halted'))
    await stop()
    await start()
    await assert.rejects(pay({ payout: '99', spent: 99 }), refused('halted'))
    assert.equal(readFileSync(journal(), 'utf8'), lines)
    const { halted } = await call<SignerStatus>('/status', {})
    assert(halted !== null)
    const resume = (name: string, id = halted) => call<{ status: string }>('/resume', signed(name, resumeContent(id)))
    await assert.rejects(resume('ada', 'f'.repeat(64)), refused('policy'))
    assert.deepEqual(await resume('ada'), { status: 'waiting_for_second_operator' })
    await assert.rejects(resume('ada'), refused('policy'))
    await assert.rejects(pay({ payout: '99', spent: 99 }), refused('halted'))
    assert.deepEqual(await resume('cem'), { status: 'resumed' })
    await pay({ payout: '99', spent: 99 })
  })

  it('notices at the start a journal line that was changed, removed, moved or cut off at the end', async () => {
    for (const payout of ['1', '2', '3']) await pay({ payout, spent: Number.parseInt(payout, 10) })
    await stop()
    const text = readFileSync(journal(), 'utf8')
    const [one = '', two = '', three = ''] = text.split('\n')
    const changes = {
      changed: [one, two.replace('"amount":"10000"', '"amount":"10001"'), three],
      removed: [one, three],
      moved: [two, one, three],
      'cut off': [one, two],
    }
    for (const [name, lines] of Object.entries(changes)) {
      writeFileSync(journal(), `${lines.join('\n')}\n`)
      await assert.rejects(start(), /The journal was changed/, name)
    }
    // A crash in the middle of a line: no signature was given out for it.
    writeFileSync(journal(), `${text}{"number":4,"at"`)
    await start()
    await pay({ payout: '4', spent: 4 })
    assert.equal(readFileSync(journal(), 'utf8').split('\n').length, 5)
    truncateSync(journal(), text.length)
    await stop()
    await assert.rejects(start(), /its last lines are missing/)
  })

  it('an attacker who makes any call gets at most the caps, only to allowed destinations, and the journal shows it', async () => {
    const seed = Math.floor(Math.random() * 2 ** 31)
    let state = seed
    const random = (below: number): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
      return (state >> 8) % below
    }
    /** What the chain would take: transfers that share no spent output, the most expensive choice bounded by payout. */
    const leaks: { at: number; payouts: Map<string, bigint>; fee: bigint; txid: string }[] = []
    for (let round = 0; round < 300; round += 1) {
      if (random(10) === 0) now = later(now, random(7_200_000))
      const count = 1 + random(3)
      const outputs = Array.from({ length: count }, (): Output => {
        const script = [scripts[0], scripts[1], stranger][random(12) === 0 ? 2 : random(2)] ?? stranger
        const amount = BigInt(1 + random(random(4) === 0 ? 700_000 : 200_000))
        const kind = random(15)
        if (kind === 0) return { script, amount, path: { branch: 1, position: '0' } }
        return kind === 1 ? { script, amount } : { script, amount, payout: String(random(60)) }
      })
      const fee = BigInt(random(random(5) === 0 ? 1_500_000 : 20_000))
      const sum = outputs.reduce((all, { amount }) => all + amount, fee)
      const spent = round * 2 + random(4)
      const raw = await signParts(partsOf([[spent, sum]], outputs)).catch((error: unknown) => {
        assert(error instanceof SignerRefusal, `seed ${seed}: ${String(error)}`)
        return undefined
      })
      if (!raw) continue
      const transfer = readTransfer(raw.raw)
      for (const { script } of transfer.outputs)
        assert(
          scripts.some((one) => one === script),
          `seed ${seed}`,
        )
      const payouts = new Map(outputs.map(({ payout = '', amount }) => [payout, amount]))
      leaks.push({ at: now.getTime(), payouts, fee, txid: raw.txid })
    }
    assert(leaks.length > 5, `seed ${seed}: only ${leaks.length} were signed`)
    for (const { at } of leaks) {
      for (const [windowMs, most] of [
        [3_600_000, perHour],
        [86_400_000, perDay],
      ] as const) {
        const within = leaks.filter((one) => one.at <= at && one.at > at - windowMs)
        const paid = new Map(within.flatMap(({ payouts }) => [...payouts]))
        const known = leaks.filter((one) => one.at <= at - windowMs).flatMap(({ payouts }) => [...payouts.keys()])
        const sum = [...paid].reduce((all, [payout, amount]) => (known.includes(payout) ? all : all + amount), 0n)
        const fees = within.reduce((all, { fee }) => all + fee, 0n)
        assert(sum + fees <= most, `seed ${seed}: ${sum + fees} left within ${windowMs} ms`)
      }
    }
    const lines = readFileSync(journal(), 'utf8').split('\n').slice(0, -1)
    assert.equal(lines.length, leaks.length, `seed ${seed}`)
  })
})

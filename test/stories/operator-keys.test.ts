import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, describe, it } from 'node:test'

import pg from 'pg'

import { serviceUrlOf } from '../../src/app/database.ts'
import { inputOf } from '../../src/exchange/actions/input.ts'
import { newOperatorActions } from '../../src/exchange/actions/team.ts'
import { readPublicKey } from '../../src/exchange/approvals/operator-keys.ts'
import { verify } from '../../src/exchange/checks/verify.ts'
import { countersignKey, endKey } from '../../src/exchange/operators/operator-keys.ts'
import { disableOperator, listOperators, operatorSubject } from '../../src/exchange/operators/operator.ts'
import { createToken } from '../../src/exchange/operators/token.ts'
import { approveProposal, propose } from '../../src/exchange/proposals/proposal.ts'
import { approvePayout } from '../../src/exchange/settlement/approval.ts'
import { runCommand } from '../support/command.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, read } from '../support/journey.ts'
import { putInForce } from '../support/policies.ts'
import { keyHolder, type KeyHolder, keyPair, someone, waitingPayout } from '../support/signing.ts'

let exchange: Exchange
let intruder: pg.Client
const folder = mkdtempSync(join(tmpdir(), 'cambio-keys-'))

before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  const document = { payouts: { above: '500', currency: 'EUR' }, policies: 'one_operator' }
  await putInForce(ctx(), { kind: 'approvals', document })
  intruder = new pg.Client({ connectionString: serviceUrlOf(exchange.ownerUrl, ctx().secrets) })
  await intruder.connect()
})
after(async () => {
  rmSync(folder, { recursive: true, force: true })
  await intruder.end()
  await exchange.stop()
})
afterEach(() => {
  ctx().config.environment = { ...ctx().config.environment, operatorKeys: false }
})

const ctx = () => exchange.service.composition.ctx
const demandKeys = (): void => {
  ctx().config.environment = { ...ctx().config.environment, operatorKeys: true }
}

describe('a key', () => {
  const trusted: KeyHolder[] = []
  it('is demanded of who approves where the environment says so: the service vouches for nobody there', async () => {
    const [one, held] = [await someone(ctx()), await waitingPayout(exchange)]
    await approvePayout(ctx(), BigInt(held.payout), await someone(ctx()))
    await approvePayout(ctx(), BigInt((await waitingPayout(exchange)).payout), one)
    demandKeys()
    await assert.rejects(approvePayout(ctx(), BigInt(held.payout), one), { code: 'FORBIDDEN', message: /Sign this/ })
  })

  it('is trusted first by the machine, then countersigned by those before, by two once two have keys', async () => {
    demandKeys()
    const first = await keyHolder(ctx())
    assert.equal(first.state, 'trusted')
    const waits = await keyHolder(ctx())
    assert.equal(waits.state, 'waiting')
    trusted.push(first, waits)
    const held = await waitingPayout(exchange)
    await approvePayout(ctx(), BigInt(held.payout), first.operator, first.sign)
    await assert.rejects(approvePayout(ctx(), BigInt(held.payout), waits.operator, waits.sign), { code: 'FORBIDDEN' })
    await assert.rejects(approvePayout(ctx(), BigInt(held.payout), waits.operator, first.sign), { code: 'FORBIDDEN' })
    assert.equal((await countersignKey(ctx(), waits.id, first.operator, first.sign)).state, 'trusted')

    // One who wants to be two: the second key of another name needs somebody else, too.
    const puppet = await keyHolder(ctx(), first)
    assert.equal(puppet.state, 'waiting')
    await assert.rejects(countersignKey(ctx(), puppet.id, first.operator, first.sign), { code: 'CONFLICT' })
    await assert.rejects(approvePayout(ctx(), BigInt(held.payout), puppet.operator, puppet.sign), { code: 'FORBIDDEN' })

    await approvePayout(ctx(), BigInt(held.payout), waits.operator, waits.sign)
    await arrive(exchange, held.id, 'finished')
    assert.equal((await countersignKey(ctx(), puppet.id, waits.operator, waits.sign)).state, 'trusted')
    trusted.push(puppet)
  })

  it('signs a policy: two do where keys are demanded, its author among them', async () => {
    const [one, other] = trusted
    assert.ok(one && other)
    demandKeys()
    ctx().config.environment = { ...ctx().config.environment, twoOperators: true }
    const [author, second] = [operatorSubject(one.operator), operatorSubject(other.operator)]
    const input = { kind: 'slippage', document: { bound: '7%' }, reason: 'x', days: 1 } as const
    const bound = () => (ctx().policies.at(ctx().clock.now(), 'slippage').document as { bound: string }).bound
    const made = await propose(ctx(), input, { actor: author })
    assert.ok('proposal' in made)
    const { id } = made.proposal
    assert.equal((await approveProposal(ctx(), id, { actor: second, sign: other.sign })).status, 'proposed')
    await assert.rejects(approveProposal(ctx(), id, { actor: second, sign: other.sign }), { code: 'FORBIDDEN' })
    assert.notEqual(bound(), '7%')
    await assert.rejects(approveProposal(ctx(), id, { actor: author }), { code: 'FORBIDDEN' })
    assert.equal((await approveProposal(ctx(), id, { actor: author, sign: one.sign })).status, 'active')
    assert.equal(bound(), '7%')
    ctx().config.environment = { ...ctx().config.environment, twoOperators: false }
  })

  it('signs nothing once it or its operator has ended, and what it signed before stays', async () => {
    demandKeys()
    const [, waits, puppet] = trusted
    assert.ok(waits && puppet)
    const next = await waitingPayout(exchange)
    await endKey(ctx(), puppet.id, 'test')
    await assert.rejects(approvePayout(ctx(), BigInt(next.payout), puppet.operator, puppet.sign), { code: 'FORBIDDEN' })
    await disableOperator(ctx(), waits.operator.email, 'test')
    await assert.rejects(approvePayout(ctx(), BigInt(next.payout), waits.operator, waits.sign), { code: 'FORBIDDEN' })
    assert.equal((await read(exchange, next.id)).status, 'on_hold')
  })

  it('of a row counts for nothing, even where a real operator signs for it', async () => {
    demandKeys()
    const [real, pair, held] = [await keyHolder(ctx()), keyPair(), await waitingPayout(exchange)]
    const forged = readPublicKey(pair.publicKey, '')
    await intruder.query(
      `insert into operator_keys (id, number, operator_id, kind, name, public_key, credential, added_at)
       select 7100000000000000009, max(number) + 1, $1, 'ed25519', '', $2, $2, now() from operator_keys`,
      [real.operator.id, forged.publicKey],
    )
    await assert.rejects(approvePayout(ctx(), BigInt(held.payout), real.operator, pair.sign), { code: 'FORBIDDEN' })
    assert.match((await verify(ctx())).join('\n'), /Key 7100000000000000009 of .* was not added through the exchange/)
  })

  it('comes with its operator, and counts as one that is added later', async () => {
    const create = newOperatorActions.find(({ name }) => name === 'create') ?? assert.fail()
    const file = join(folder, 'ann.pub')
    writeFileSync(file, keyPair().publicKey)
    const environment = { DATABASE_URL: exchange.ownerUrl, DATA_DIR: exchange.dataDir }
    const args = ['operator', 'create', 'ann@example.com', '--public-key', file, '--json']
    const { out } = await runCommand(args, environment)
    const ann = JSON.parse(out) as { password: string; key: { state: string; operator: string } }
    assert.deepEqual([ann.key.state, ann.key.operator, typeof ann.password], ['trusted', 'ann@example.com', 'string'])

    demandKeys()
    const texts: Record<string, string> = { email: 'ben@example.com', public_key: keyPair().publicKey }
    const given = inputOf({ reason: '', text: (name) => texts[name], has: () => false, pairs: {} })
    const by = { actor: 'test', operator: undefined }
    const ben = await create.run(ctx(), undefined, given, by)
    assert.match(ben.said, /The key waits for 2 operators to countersign it\./)
    texts.email = 'cleo@example.com'
    await assert.rejects(async () => create.run(ctx(), undefined, given, by), { code: 'CONFLICT' })
    assert.ok((await listOperators(ctx())).every(({ email }) => email !== 'cleo@example.com'))
  })

  it('signs a payout from the command line, without a token', async () => {
    const environment = { DATABASE_URL: exchange.ownerUrl, DATA_DIR: exchange.dataDir }
    const held = await waitingPayout(exchange)
    const files: string[] = []
    for (const _ of [1, 2]) {
      const [operator, pair] = [await someone(ctx()), keyPair()]
      const [publicFile, privateFile] = [join(folder, `${operator.id}.pub`), join(folder, `${operator.id}.key`)]
      writeFileSync(publicFile, pair.publicKey)
      writeFileSync(privateFile, pair.privateKey)
      const { text: token } = await createToken(ctx(), operator.email, 'test')
      const added = await runCommand(['operator', 'key', 'add', '--public-key', publicFile, '--json'], {
        ...environment,
        OPERATOR_TOKEN: token,
      })
      assert.equal((JSON.parse(added.out) as { state: string }).state, 'trusted', added.err)
      // Who has a key signs with it, in the sandbox, too.
      const unsigned = await runCommand(['payout', 'approve', held.payout], { ...environment, OPERATOR_TOKEN: token })
      assert.match(unsigned.err, /Sign this/)
      files.push(privateFile)
    }
    for (const file of files) {
      const approved = await runCommand(['payout', 'approve', held.payout, '--key', file], environment)
      assert.deepEqual([approved.exitCode, approved.err], [0, ''])
    }
    await arrive(exchange, held.id, 'finished')
    const listed = JSON.parse((await runCommand(['operator', 'key', 'list', '--json'], environment)).out) as unknown[]
    assert(listed.length >= 2)
  })
})

import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { kindsOf, next, nextId, nextReference, paid, payer } from '../../../test/support/bank-session.ts'
import { type BankWorld, openBankWorld } from '../../../test/support/bank-world.ts'
import { camt } from '../../../test/support/camt.ts'
import { ordersIn } from '../../../test/support/folder-bank.ts'
import { newKeys, sftpServer, type SftpTestServer } from '../../../test/support/sftp-server.ts'
import { followBankOnce } from './follow.ts'
import { payouts } from './payouts.ts'
import { fingerprintOf } from './sftp.ts'

const keys = newKeys()
let world: BankWorld
let server: SftpTestServer
let remote = ''

/** The bank over SFTP, as a process opens it. */
const opened = (change: { host_key?: string; key?: string } = {}) => {
  // The lease of the process before runs out.
  world.pass(130_000)
  return world.reopen({
    sftp: {
      host: '127.0.0.1',
      port: server.port,
      user: 'exchange',
      key: keys.private,
      host_key: fingerprintOf(server.hostKey),
      in: '/from-bank',
      out: '/to-bank',
      ...change,
    },
  })
}

before(async () => {
  world = await openBankWorld()
  remote = join(world.folder, 'remote')
  for (const folder of ['from-bank', 'to-bank']) mkdirSync(join(remote, folder), { recursive: true })
  server = await sftpServer(remote, keys.public)
})
after(async () => {
  await server.close()
  await world.close()
})

test('files of the bank are fetched once, and removed from the server', async () => {
  const { follower } = await opened()
  const text = camt({ kind: '054', id: next('R'), entries: [paid(nextReference())] })
  writeFileSync(join(remote, 'from-bank/a.xml'), text)
  writeFileSync(join(remote, 'from-bank/b.xml.part'), text)
  writeFileSync(join(remote, 'from-bank/.hidden'), text)
  await followBankOnce(follower)
  assert.deepEqual(kindsOf(world.events.splice(0)), ['deposit_final'])
  assert.deepEqual(readdirSync(join(remote, 'from-bank')).toSorted(), ['.hidden', 'b.xml.part'])
  writeFileSync(join(remote, 'from-bank/again.xml'), text)
  await followBankOnce(follower)
  assert.deepEqual(world.events.splice(0), [])
})

test('a payment file is uploaded under a hidden name and renamed, and nothing of it is left in the folder here', async () => {
  const { bank, follower } = await opened()
  const half = payouts(bank)
  const destination = { address: payer.iban, extraId: payer.bic, holder: payer.name }
  const [draft] = await half.prepare([{ payoutId: nextId(), asset: 'EUR-EUR', amount: 1_234n, destination }])
  assert(draft)
  await half.submit(draft)
  await followBankOnce(follower)
  const orders = ordersIn(join(remote, 'to-bank'))
  assert.deepEqual(
    orders.map(({ endToEndId, amount }) => [endToEndId, amount]),
    [[draft.key, 1_234n]],
  )
  assert.deepEqual(readdirSync(join(world.folder, 'out')), [])
  await followBankOnce(follower)
  assert.deepEqual(readdirSync(join(remote, 'to-bank')), [])
})

test('a server with another key is refused, before anything is sent', async () => {
  const { follower } = await opened({ host_key: fingerprintOf(Buffer.from('another')) })
  await assert.rejects(followBankOnce(follower), /not the one in the configuration/)
})

test('a key that the server does not know opens nothing', async () => {
  const { follower } = await opened({ key: newKeys().private })
  await assert.rejects(followBankOnce(follower))
})

import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'

import { type BankExchange, startBankExchange } from '../support/bank-exchange.ts'
import { camt } from '../support/camt.ts'
import { advance } from '../support/journey.ts'
import { until } from '../support/telling.ts'

let story: BankExchange
before(async () => {
  story = await startBankExchange()
})
after(() => story.stop())

type FileRow = { file: string; state: string; at: string }
const fileOf = async (name: string): Promise<FileRow | undefined> =>
  (await story.line.told<FileRow[]>('bank', 'file', 'list')).find(({ file }) => file === name)

async function refused(name: string, text: string): Promise<FileRow> {
  story.bank.drop(name, text)
  await until(async () => (await fileOf(name))?.state === 'refused', name)
  return (await fileOf(name)) ?? assert.fail(name)
}

it('every file of a bank has come by the clock of the business, and is an alarm at once, however far that is ahead', async () => {
  const { rails, clock } = story.exchange.service.composition.ctx
  await advance(story.exchange, 'P3D')
  const since = clock.now()
  story.bank.state([])
  await story.taken()
  const check = async () => (await rails.named('bank-1')?.check?.()) ?? assert.fail()
  assert.equal((await check()).ok, true)
  const differs = await refused(
    'differs.xml',
    camt({ id: 'D', number: 9, opening: '7.00', closing: '7.00', entries: [] }),
  )
  const found = await check()
  assert.match(found.ok ? 'in order' : found.message, /Refused files: 1/)
  const unreadable = await refused('unreadable.xml', '<Document>')
  for (const { file, at } of [differs, unreadable]) assert.ok(new Date(at) >= since, `${file} came at ${at}`)
})

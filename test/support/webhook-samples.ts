import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { addEndpoint } from '../../src/exchange/webhooks/manage-endpoints.ts'
import type { Exchange } from './exchange.ts'
import { blocksOf } from './papers.ts'
import { projectFolder } from './source.ts'
import { until } from './telling.ts'

/** An event as the samples of docs/partner/webhooks.md give it. */
export type SampleEvent = { id: string; type: string; sequence: number; payload: { id: string; status?: string } }

/** The samples themselves. */
export type Samples = {
  verifyWebhook(body: string, headers: Record<string, string | undefined>, secret: string): SampleEvent
  receiver(secret: string, keep: (event: SampleEvent) => Promise<boolean>): Server
}

const strictly =
  '--strict --noUncheckedIndexedAccess --exactOptionalPropertyTypes --skipLibCheck --rewriteRelativeImportExtensions'

/** Takes the samples from their page, compiles them as strictly as a partner may, and loads them. */
export async function compileSamples(): Promise<Samples> {
  const [verify = '', receive = ''] = blocksOf('docs/partner/webhooks.md', 'ts')
  const folder = mkdtempSync(join(tmpdir(), 'cambio-samples-'))
  try {
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
    writeFileSync(join(folder, 'verify-webhook.ts'), verify)
    writeFileSync(join(folder, 'receiver.ts'), receive)
    const modules = join(projectFolder, 'node_modules')
    const how = `${strictly} --target es2022 --module nodenext --types node`.split(' ')
    const args = [join(modules, 'typescript/bin/tsc'), ...how, '--typeRoots', join(modules, '@types'), 'receiver.ts']
    const { status, stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
    assert.equal(status, 0, stdout)
    return {
      ...(await load(join(folder, 'verify-webhook.js'))),
      ...(await load(join(folder, 'receiver.js'))),
    } as Samples
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const load = async (path: string): Promise<object> => (await import(pathToFileURL(path).href)) as object

/** A partner's endpoint, made of the samples. */
export type SampleReceiver = {
  /** What it took, in the order in which it came. */
  events: SampleEvent[]
  /** Resolves when it has taken so many in all; rejects when that takes long. */
  got(count: number): Promise<void>
  close(): Promise<void>
}

/** Starts one on loopback, and has the exchange's first partner told there. */
export async function startSampleReceiver({ service, sandbox }: Exchange): Promise<SampleReceiver> {
  const { receiver } = await compileSamples()
  const events: SampleEvent[] = []
  const server = receiver(sandbox.webhook_secret, async (event) => {
    events.push(event)
    return true
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/cambio`
  await addEndpoint(service.composition.ctx, { partnerId: BigInt(sandbox.partner_id), url }, 'test')
  return {
    events,
    got: (count) => until(() => events.length >= count, `the ${count}th event`),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

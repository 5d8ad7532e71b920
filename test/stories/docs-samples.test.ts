import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'

import { build } from 'esbuild'

import { openTestApi, type TestApi } from '../support/api.ts'
import { operationsOf } from '../support/openapi.ts'
import { projectFolder } from '../support/source.ts'

const run = promisify(execFile)

/** A request as it was received, in a form that can be compared. */
type Seen = { request: string; key: string | undefined; isOnce: boolean; body: unknown }

/** How all samples of a language are run in one process. */
const runners: Readonly<Record<string, { ending: string; command: string; program: (files: string[]) => string }>> = {
  curl: { ending: 'sh', command: 'sh', program: (files) => files.map((file) => `. ./${file}`).join('\n') },
  javascript: {
    ending: 'mjs',
    command: process.execPath,
    program: (files) => files.map((file) => `await import('./${file}')`).join('\n'),
  },
  python: {
    ending: 'py',
    command: 'python3',
    program: (files) => `import runpy\n${files.map((file) => `runpy.run_path("${file}")`).join('\n')}`,
  },
  php: {
    ending: 'php',
    command: 'php',
    program: (files) => `<?php\n${files.map((file) => `include '${file}';`).join('\n')}`,
  },
}

/** Not every machine has PHP; the gate's has. */
const isHere = (command: string): boolean => spawnSync(command, ['--version']).status === 0

const unescaped = (html: string): string =>
  html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')

describe('the samples of every call in the documentation', () => {
  let api: TestApi
  let server: Server
  let origin: string
  let folder: string
  const seen: Seen[] = []
  const calls: { id: string; html: string }[] = []

  before(async () => {
    api = await openTestApi()
    server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString('utf8')
        const { searchParams, pathname } = new URL(request.url ?? '', 'http://recorder')
        const query = [...searchParams].map((pair) => pair.join('=')).toSorted()
        seen.push({
          request: `${request.method} ${pathname}?${query.join('&')}`,
          key: request.headers['x-api-key']?.toString(),
          isOnce: request.headers['idempotency-key'] !== undefined,
          body: body === '' || body === '{}' ? undefined : JSON.parse(body),
        })
        if (request.method === 'DELETE') return response.writeHead(204).end()
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[],"pagination":{}}')
        return undefined
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    folder = mkdtempSync(join(tmpdir(), 'cambio-samples-'))
    await build({
      entryPoints: [join(projectFolder, 'sdk/src/index.ts')],
      outfile: join(folder, 'node_modules/cambio-sdk/index.mjs'),
      bundle: true,
      format: 'esm',
    })
    writeFileSync(join(folder, 'node_modules/cambio-sdk/package.json'), '{"main": "index.mjs"}')
    for (const { id } of operationsOf((await api.ask({ url: '/openapi.json' })).body))
      calls.push({ id, html: (await api.ask({ url: `/docs/api/${id}` })).text })
  })
  after(async () => {
    server.close()
    rmSync(folder, { recursive: true })
    await api.close()
  })

  /** What the samples of a language send, call by call. */
  async function requestsOf(language: string): Promise<Seen[]> {
    const { ending, command, program } = runners[language] ?? assert.fail(language)
    const { origin: documented } = new URL(api.ctx.publicUrl)
    const files = calls.map(({ id, html }) => {
      const [, text = ''] = new RegExp(`data-language="${language}"><pre[^>]*><code>([^]*?)</code>`).exec(html) ?? []
      assert.notEqual(text, '', `${id} has no sample in ${language}`)
      writeFileSync(
        join(folder, `${id}.${ending}`),
        unescaped(text.replaceAll(/<\/?span[^>]*>/g, '')).replaceAll(documented, origin),
      )
      return `${id}.${ending}`
    })
    writeFileSync(join(folder, `main.${ending}`), program(files))
    seen.length = 0
    await run(command, [`main.${ending}`], { cwd: folder, maxBuffer: 10_000_000, timeout: 300_000 })
    assert.equal(seen.length, calls.length)
    return seen.map((one) => ({ ...one }))
  }

  it('make the same requests in every language, with the key that the call needs', async () => {
    const bare = await requestsOf('curl')
    for (const [index, { request, key, body }] of bare.entries()) {
      assert.match(request, /^(GET|POST|PATCH|DELETE) \/v1\/[\w/-]+\?/, calls[index]?.id)
      assert.ok(key === undefined || /^YOUR_(PUBLIC|SECRET)_KEY$/.test(key))
      assert.equal(body !== undefined && request.startsWith('GET'), false)
    }
    for (const language of isHere('php') ? ['python', 'php'] : ['python'])
      assert.deepEqual(await requestsOf(language), bare, language)
    // The client adds a key for repeated requests by itself, also where no sample needs one.
    const alike = (all: Seen[]) => all.map((one) => ({ ...one, isOnce: false }))
    assert.deepEqual(alike(await requestsOf('javascript')), alike(bare))
  })
})

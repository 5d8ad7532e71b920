import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { openTestApi, type TestApi } from '../support/api.ts'
import { projectFolder } from '../support/source.ts'

let api: TestApi
before(async () => {
  api = await openTestApi()
})
after(() => api.close())

const matches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, found = '']) => found.replaceAll('&amp;', '&'))

/** Every page that links lead to from a first one, by its path. */
async function crawl(first: string): Promise<Map<string, string>> {
  const pages = new Map<string, string>()
  const toRead = [first]
  for (let path = toRead.pop(); path !== undefined; path = toRead.pop()) {
    if (pages.has(path)) continue
    const { status, text } = await api.ask({ url: path })
    assert.equal(status, 200, path)
    pages.set(path, text)
    const isPage = text.startsWith('<!doctype html>')
    const links = isPage ? matches(text, /(?:href|src)="(\/[^"#]*)/g) : []
    // What leads out of the documentation is asked for once and not read.
    toRead.push(...links)
  }
  return pages
}

describe('the documentation for partners', () => {
  it('has a page for each of its files, and every link leads to something that is there', async () => {
    const pages = await crawl('/docs')
    const files = readdirSync(join(projectFolder, 'docs/partner'), { withFileTypes: true })
    const guides = files.filter((file) => file.isFile()).map(({ name }) => `/docs/${name.replace(/\.md$/, '')}`)
    const samples = readdirSync(join(projectFolder, 'docs/partner/samples')).map((name) => `/docs/samples/${name}`)
    for (const path of [...guides, ...samples, '/docs/api/createTransaction', '/docs/api/schemas'])
      assert.ok(pages.has(path), `nothing leads to ${path}`)

    for (const [path, text] of pages) {
      for (const link of matches(text, /href="([^"]*#[^"]+)"/g)) {
        const [to, section = ''] = link.split('#')
        const there = pages.get(to === '' ? path : (to ?? '')) ?? ''
        assert.ok(there.includes(` id="${decodeURIComponent(section)}"`), `${path} leads to ${link}`)
      }
      const ids = matches(text.startsWith('<!doctype') ? text : '', /<[a-z][^>]* id="([^"]+)"/g)
      assert.equal(new Set(ids).size, ids.length, `${path} has an id twice`)
    }
  })

  it('says nothing of how we work: no guide speaks of our tests or their files', () => {
    const folder = join(projectFolder, 'docs/partner')
    // That page lists what keeps the contract.
    for (const name of readdirSync(folder).filter((one) => one.endsWith('.md') && one !== 'contract.md')) {
      const text = readFileSync(join(folder, name), 'utf8').replaceAll(/<!--[^]*?-->/g, '')
      assert.doesNotMatch(text, /\b(our|a) tests? (run|check|compare)|npm test|bin\/check|\.test\.ts/i, name)
    }
  })

  it('shows its words, tables and commands as they are written, and no marks', async () => {
    const { text } = await api.ask({ url: '/docs/quickstart' })
    assert.match(text, /<h1>Quickstart<\/h1>/)
    assert.match(text, /<th scope="col">Step of the flow<\/th>/)
    const asText = text.replaceAll(/<\/?span[^>]*>/g, '')
    assert.match(asText, /curl -fsS -w &#39;|curl -fsS -w '/)
    const outside = text.replace(/<(pre|code)[^>]*>[^]*?<\/\1>/g, '')
    assert.doesNotMatch(outside, /```|\]\(|\*\*|\| *-+ *\|/)
    const answer = await api.ask({ url: '/docs/scenarios' })
    assert.doesNotMatch(answer.text, /<!--/)
  })

  it('runs no script but its own, loads nothing from elsewhere, and is nowhere framed', async () => {
    const { headers, text } = await api.ask({ url: '/docs/webhooks' })
    const policy = String(headers['content-security-policy'])
    assert.match(
      policy,
      /^default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self';/,
    )
    assert.match(policy, /frame-ancestors 'none'/)
    assert.doesNotMatch(policy, /unsafe|http/)
    assert.equal(text.split('<script').length, 2)
    assert.match(text, /<script type="module" src="\/assets\/docs-[\w-]+\.js"/)
    assert.doesNotMatch(text, /<style|\sstyle=|\son\w+=|<iframe/)
  })

  it('is searched without a script: sections of guides and calls, and nothing that was typed is run', async () => {
    const search = async (query: string) => api.ask({ url: `/docs/search?q=${encodeURIComponent(query)}` })
    const { text } = await search('Signature Webhook')
    const first = /<ul class="guides"><li><h2><a href="([^"]+)">([^<]+)</.exec(text)
    assert.match(first?.[1] ?? '', /^\/docs\/webhooks#/)
    assert.match((await search('IDEMPOTENCY_MISMATCH')).text, /href="\/docs\/errors#idempotency_mismatch-422"/)
    assert.match((await search('estimate')).text, /href="\/docs\/api\/getEstimate"/)
    assert.match((await search('<script>alert(1)</script>')).text, /Nothing was found for &lt;script/)
    for (const url of ['/docs/search', '/docs/search?q=&q=x', `/docs/search?q=${'x'.repeat(5_000)}`])
      assert.equal((await api.ask({ url })).status, 200, url)
    assert.equal((await search('x')).headers['cache-control'], 'no-store')
  })

  it('describes a call on one page: every field in place, a sample in four languages, a real answer', async () => {
    const { text } = await api.ask({ url: '/docs/api/createTransaction' })
    for (const field of ['payout_info', 'payout_address', 'estimate_breakdown', 'serviceFees'])
      assert.match(text, new RegExp(`<dt><code>${field}</code>`), field)
    for (const language of ['curl', 'javascript', 'python', 'php']) {
      const [, sample = ''] = new RegExp(`data-language="${language}"><pre([^]*?)</pre>`).exec(text) ?? []
      assert.match(sample, /<span class="literal">/, language)
    }
    assert.match(text, /A real answer, 201/)
    assert.equal((await api.ask({ url: '/docs/api/nothing' })).status, 404)
  })

  it('makes calls from its pages in a sandbox only', async () => {
    const { text } = await api.ask({ url: '/docs/api/getEstimate' })
    assert.doesNotMatch(text, /class="run"|data-keys/)
  })

  it('is led to from the first page of the service', async () => {
    const { text } = await api.ask({ url: '/' })
    assert.match(text, /href="\/docs"/)
  })
})

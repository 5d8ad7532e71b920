import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { type Exchange, startExchange } from '../support/exchange.ts'
import { formsOf, noForms, singleForms, unpostedAmong } from '../support/form-routes.ts'
import { type Route, routesOf } from '../support/routes.ts'
import { readSources } from '../support/source.ts'

let exchange: Exchange
let routes: Route[]
before(async () => {
  exchange = await startExchange()
  routes = await routesOf(exchange.service)
})
after(() => exchange.stop())

describe('every address that takes a form', () => {
  it('is one that a browser must send each of its forms to', () => {
    const left = unpostedAmong(formsOf(routes), [])
    for (const name of ['/', '/checkout', '/calculator/v1', '/calculator/v2', '/console/orders/:id'])
      assert.ok(left.filter((form) => form.startsWith(`${name} `)).length > 1, `${name} has several forms`)
    for (const name of ['/sandbox/pay', '/portal/sign-in', '/console/invitation/:token'])
      assert.ok(left.includes(name), name)
    const added = unpostedAmong(
      formsOf([...routes, { method: 'POST', url: '/:locale(^[a-z]{2}$)/new', config: {} }]),
      [],
    )
    assert.deepEqual(
      added.filter((name) => !left.includes(name)),
      ['/new'],
    )
  })

  it('is left once a browser has sent it in some language', () => {
    const posted = [
      { path: '/de/checkout', does: 'email' },
      { path: '/console/orders/7', does: 'hold' },
      // A script asks about a field, and sends the whole form that the field is in.
      { path: '/checkout/check', does: 'email' },
    ]
    const [all, left] = [unpostedAmong(formsOf(routes), []), unpostedAmong(formsOf(routes), posted)]
    assert.deepEqual(
      all.filter((name) => !left.includes(name)),
      ['/checkout email', '/checkout/check', '/console/orders/:id hold'],
    )
  })

  it('is excepted only where there is such an address', () => {
    const posts = routes.filter(({ method }) => method === 'POST')
    const idle = Object.keys(noForms).filter((start) => !posts.some(({ url }) => url.startsWith(start)))
    assert.deepEqual(idle, [])
  })

  it('takes forms that do different things and says so, or is listed as one whose forms all do the same', () => {
    const single = formsOf(routes).flatMap(({ name, does }) => (does === '' ? [name] : []))
    assert.deepEqual(single.toSorted(), singleForms.toSorted())
  })

  it('looks up what a form does in a table, whose names its route says', () => {
    const does = [...new Set(formsOf(routes).flatMap((form) => (form.does === '' ? [] : [form.does])))].join('|')
    const named = new RegExp(`\\bname\\s*[!=]==\\s*['"](${does})['"]`)
    const compares = /(\bdo|get\('do'\))\s*[!=]==\s*['"]|switch \((\w+\.)?(do|get\('do'\))\)/
    // What a page's script compares is the name of a field.
    const isForms = (path: string) => /^src\/(doors|sandbox)\//.test(path) && !path.includes('/islands/')
    const found = readSources('src').filter(
      ({ path, text }) => !path.endsWith('.test.ts') && (compares.test(text) || (isForms(path) && named.test(text))),
    )
    assert.deepEqual(
      found.map(({ path }) => path),
      [],
    )
  })
})

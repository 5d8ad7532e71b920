import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { parse } from 'yaml'

import { metricsOf } from '../../src/app/metrics.ts'
import { needKinds } from '../../src/exchange/needs/need.ts'
import { buildAdmin } from '../../src/doors/api/admin.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { anchorsOf, read } from '../support/papers.ts'

type Rule = {
  alert: string
  expr: string
  for?: string
  labels: { severity: string }
  annotations: { summary: string; runbook_url: string }
}

const text = read('deploy/prometheus/alerts.yaml')
const { groups } = parse(text) as { groups: { name: string; rules: Rule[] }[] }
const rules = groups.flatMap((group) => group.rules)

/** Metrics, each with its matchers, that an expression reads. */
const selectorsOf = (expr: string): { metric: string; matchers: string }[] =>
  [...expr.matchAll(/\b(cambio_\w+|up)(?:\{([^}]*)\})?/g)].map(([, metric = '', matchers = '']) => ({
    metric,
    matchers,
  }))

let exchange: Exchange
/** The metrics' names and labels, as an operator's Prometheus reads them. */
let payload = ''
before(async () => {
  exchange = await startExchange()
  const { ctx } = exchange.service.composition
  const app = buildAdmin(ctx, { gauges: metricsOf(ctx) })
  payload = (await app.inject('/metrics')).payload
  await app.close()
})
after(() => exchange.stop())

describe('the alert rules for Prometheus', () => {
  it('have the form of a rule file, and each name once', () => {
    assert.deepEqual(Object.keys(parse(text) as object), ['groups'])
    for (const group of groups) assert.deepEqual(Object.keys(group), ['name', 'rules'])
    for (const rule of rules) {
      const known = ['alert', 'expr', 'for', 'labels', 'annotations']
      assert.deepEqual(
        Object.keys(rule).filter((key) => !known.includes(key)),
        [],
        rule.alert,
      )
      assert.match(rule.alert, /^Cambio[A-Z][A-Za-z]+$/)
      assert.match(rule.for ?? '1m', /^\d+[smh]$/, rule.alert)
      assert.match(rule.labels.severity, /^(critical|warning)$/, rule.alert)
      assert.match(rule.annotations.summary, /^[A-Z].+\.$/, rule.alert)
    }
    assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length)
  })

  it('read metrics, labels and states that the exchange serves', () => {
    for (const { alert, expr } of rules) {
      const selectors = selectorsOf(expr)
      assert.ok(selectors.length > 0, alert)
      for (const { metric, matchers } of selectors) {
        // Prometheus itself makes `up`.
        if (metric === 'up') continue
        assert.match(payload, new RegExp(`^# TYPE ${metric} (gauge|counter)$`, 'm'), `${alert} reads ${metric}`)
        for (const [, label = '', operator = '', values = ''] of matchers.matchAll(/(\w+)(!?=~?)"([^"]*)"/g)) {
          const lines = payload.split('\n').filter((line) => line.startsWith(`${metric}{`))
          assert.ok(
            lines.every((line) => line.includes(`${label}="`)),
            `${alert}: ${label}`,
          )
          if (operator.startsWith('!')) continue
          for (const value of values.split('|'))
            assert.ok(
              lines.some((line) => line.includes(`${label}="${value}"`)),
              `${alert}: ${metric} has no ${label} ${value}`,
            )
        }
      }
    }
  })

  it('watch every kind of need', () => {
    const watched = rules.flatMap(({ expr }) =>
      selectorsOf(expr).flatMap(({ matchers }) => /kind=~?"([^"]*)"/.exec(matchers)?.[1]?.split('|') ?? []),
    )
    // Halts and markets have their own metrics.
    const others = ['rail', 'restored', 'market']
    for (const kind of needKinds) assert.ok([...watched, ...others].includes(kind), kind)
  })

  it('link sections of the runbook that exist', () => {
    const anchors = anchorsOf('docs/operator/runbook.md')
    for (const { alert, annotations } of rules) {
      const [path, anchor = ''] = annotations.runbook_url.split('#')
      assert.equal(path, 'docs/operator/runbook.md', alert)
      assert.ok(anchors.includes(anchor), `${alert}: the runbook has no section ${anchor}`)
    }
  })
})

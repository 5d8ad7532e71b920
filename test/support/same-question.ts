import assert from 'node:assert/strict'

import type { TestApi, ApiAnswer } from './api.ts'

/** An amount that is more than any range has. */
export const beyondAll = `1${'0'.repeat(15)}`

/** One exchange that is asked for in several places; methods by category. */
export type Question = {
  key: string
  from: [ticker: string, network: string]
  to: [ticker: string, network: string]
  category: string | undefined
  country: string | undefined
  amount: string
}

const queryOf = (names: Record<string, string | undefined>) =>
  new URLSearchParams(
    Object.entries(names).filter((pair): pair is [string, string] => pair[1] !== undefined),
  ).toString()

/** Asks for its estimate. */
export const estimate = (api: TestApi, { key, from, to, category, country, amount }: Question): Promise<ApiAnswer> => {
  const [pair, more] = [
    { from_currency: from[0], from_network: from[1], to_currency: to[0], to_network: to[1] },
    { from_amount: amount, deposit_category: category, customer_country: country },
  ]
  return api.ask({ url: `/v1/estimate?${queryOf({ ...pair, ...more })}`, key })
}

const post = (api: TestApi, url: string, { key, from, to, category, country, amount }: Question): Promise<ApiAnswer> =>
  api.ask({
    method: 'POST',
    url: `${url}?${queryOf({ customer_country: country })}`,
    key,
    body: {
      from_amount: amount,
      from_currency: from[0],
      from_network: from[1],
      to_currency: to[0],
      to_network: to[1],
      deposit: { payment_category: category ?? null },
    },
  })

/** One of `errors`. */
export type Problem = { path: string; code: string; message: string; min?: string; max?: string }
const problemsOf = ({ body }: ApiAnswer) =>
  (body.errors as Problem[]).map((problem) => ({ ...problem, path: pathOf(problem) }))
const pathOf = ({ path }: Problem) => (path === 'deposit_category' ? 'deposit.payment_category' : path)

/** Asks estimate, health and create, who must agree; gives what was created, or the first problem. */
export async function agreed(
  api: TestApi,
  question: Question,
): Promise<{ created: ApiAnswer | undefined; problem: Problem | undefined }> {
  const [estimated, health, created] = [
    await estimate(api, question),
    await post(api, '/v1/transaction/health', question),
    await post(api, '/v1/transaction', question),
  ]
  const name = `${JSON.stringify(question)}: ${estimated.text} ${health.text} ${created.text}`
  assert.equal(health.status, 200, name)
  assert.equal(health.body.healthy, estimated.status === 200, name)
  if (estimated.status === 200) {
    assert.equal(created.status, 201, name)
    assert.deepEqual(health.body.errors, [], name)
    assert.deepEqual(health.body.estimate, estimated.body, name)
    assert.equal(created.body.expected_to_amount, estimated.body.value, name)
    return { created, problem: undefined }
  }
  assert.deepEqual(
    [created.status, created.code, created.body.message, problemsOf(created)],
    [estimated.status, estimated.code, estimated.body.message, problemsOf(estimated)],
    name,
  )
  assert.deepEqual(problemsOf(health)[0], problemsOf(created)[0], name)
  assert.equal(health.body.estimate, null, name)
  return { created: undefined, problem: problemsOf(created)[0] }
}

type Key = Pick<Question, 'key'>

/** What the lists say of a currency. */
export type CurrencyRow = { ticker: string; is_available: boolean; sides: Record<string, boolean> }

/** A currency as an account finds it listed. */
export const listed = async (api: TestApi, { key }: Key, ticker: string): Promise<CurrencyRow> =>
  (await api.ask({ url: `/v1/currencies/${ticker}`, key })).body as unknown as CurrencyRow

/** What the lists say of a category. */
export type WaysRow = { category: string; deposit_enabled: boolean; withdrawal_enabled: boolean }

/** The categories by which an account finds an asset moved in a country. */
export async function openWays(
  api: TestApi,
  { key }: Key,
  country: string,
  [currency, network]: readonly [string, string],
): Promise<WaysRow[]> {
  const url = `/v1/countries/${country}/payment-categories?${queryOf({ currency, network })}`
  return (await api.ask({ url, key })).body as unknown as WaysRow[]
}

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { base32 } from '@scure/base'

import { addKey } from '../../src/exchange/operators/operator-keys.ts'
import { inviteOperator } from '../../src/exchange/operators/invitation.ts'
import {
  beginSecondFactor,
  confirmSecondFactor,
  createOperator,
  operatorSubject,
} from '../../src/exchange/operators/operator.ts'
import { outcomePlace } from '../../src/exchange/sign-in/once.ts'
import { seal } from '../../src/platform/privacy/seal.ts'
import { totpCode } from '../../src/exchange/operators/totp.ts'
import { halt, resume } from '../../src/exchange/settlement/halts.ts'
import { createPortalUser } from '../../src/exchange/partners/portal-users.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { lookup } from '../support/journey.ts'
import { actionOf, formsIn, type PageForm, valuesOf } from '../support/page-forms.ts'
import { someone } from '../support/signing.ts'
import { addToPortal, softPasskey, type SoftPasskey } from '../support/soft-passkey.ts'
import { password, staffBrowser } from '../support/staff-browser.ts'

let exchange: Exchange
let base: string
let passkey: SoftPasskey

before(async () => {
  exchange = await startExchange()
  base = exchange.url.replace('127.0.0.1', 'localhost')
  passkey = softPasskey(base)
  await addKey(ctx(), await someone(ctx()), passkey.key, { at: 'machine', actor: 'test' })
  const partnerId = BigInt(exchange.sandbox.partner_id)
  await createPortalUser(ctx(), { partnerId, email: 'member@one.example', role: 'member', password }, 'test')
  await addToPortal(exchange, passkey, 'member@one.example')
})
after(() => exchange.stop())

const ctx = () => exchange.service.composition.ctx

async function send(path: string, form?: Record<string, string>, cookie = '') {
  const answer = await fetch(base + path, {
    ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
    headers: { origin: base, cookie },
    redirect: 'manual',
  })
  return {
    status: answer.status,
    to: answer.headers.get('location'),
    cookies: answer.headers.getSetCookie(),
    body: await answer.text(),
  }
}

/** The forms of a page that is for people who are not signed in, filled in. */
async function filled(page: string, typed: Record<string, string>): Promise<[PageForm, Record<string, string>][]> {
  const forms = formsIn((await send(page)).body, page)
  return forms.map((form) => {
    const values = valuesOf(form)
    const asked = form.fields.find((one) => one.asked !== undefined)?.asked
    const own = Object.fromEntries(
      Object.entries(typed).filter(([name]) => form.fields.some((one) => one.name === name)),
    )
    return [form, { ...values, ...own, ...(asked === undefined ? {} : { passkey: passkey.answer(asked) }) }]
  })
}

/** What signing in and accepting an invitation leave behind. */
const traces = async (): Promise<number[]> =>
  (
    await lookup<{ count: bigint }>(
      exchange,
      `select count(*) from operator_sessions union all select count(*) from portal_sessions union all
       select count(*) from operators union all select count(*) from audit where action like '%signed_in'`,
    )
  ).map(({ count }) => Number(count))

const invited = async (): Promise<string> => {
  const admin = await someone(ctx())
  const made = await inviteOperator(
    ctx(),
    { email: `guest${Date.now()}@example.com`, role: 'viewer', name: 'Guest' },
    operatorSubject(admin),
  )
  return new URL(made.url, base).pathname
}

describe('every form for people who are not signed in', () => {
  it('has one effect, and leads to one place, where it is sent twice at once and once more later', async () => {
    const { operator, portal } = exchange.sandbox
    const pages: [page: string, typed: Record<string, string>, forms: string[]][] = [
      ['/console/sign-in', operator, ['/console/sign-in', '/console/passkeys/sign-in']],
      ['/portal/sign-in', portal, ['/portal/sign-in', '/portal/passkeys/sign-in']],
      [await invited(), { password }, ['invitation']],
    ]
    for (const [page, typed, known] of pages) {
      const forms = await filled(page, typed)
      assert.equal(forms.length, known.length, page)
      for (const [form, values] of forms) {
        assert.ok((values.once ?? '').length > 20, `${form.path} carries no token`)
        const earlier = await traces()
        const pair = await Promise.all([send(form.path, values), send(form.path, values)])
        const between = await traces()
        const grown = between.reduce((sum, count, at) => sum + count - (earlier[at] ?? 0), 0)
        assert.equal(grown, known[0] === 'invitation' ? 1 : 2, `${form.path}: an operator, or a session and its audit`)
        const third = await send(form.path, values)
        const answers = [...pair, third].map(({ status, to }) => [status, to])
        assert.deepEqual(new Set(answers.map(String)).size, 1, `${form.path}: ${answers.join(' | ')}`)
        assert.equal(answers[0]?.[0], 303)
        assert.deepEqual(await traces(), between)
      }
    }
  })

  it('takes what a program sends without a token, and nothing twice', async () => {
    const { email } = await createOperator(ctx(), { email: 'program@example.com', password, role: 'viewer' }, 'test')
    assert.equal((await send('/console/sign-in', { email, password })).status, 303)
    const link = await invited()
    assert.equal((await send(link, { password })).status, 303)
    const earlier = await traces()
    assert.equal((await send(link, { password })).status, 404)
    assert.deepEqual(await traces(), earlier)
  })

  it('may be wrong before it is right: a refusal uses nothing up', async () => {
    const { email } = await createOperator(ctx(), { email: 'typo@example.com', password, role: 'viewer' }, 'test')
    const [[form, values] = assert.fail('no form')] = await filled('/console/sign-in', { email, password: 'typo' })
    assert.equal((await send(form.path, values)).status, 401)
    assert.equal((await send(form.path, { ...values, password })).status, 303)
  })
})

it('the form that signs out carries a token, and signs out whatever its page had', async () => {
  const { operator } = exchange.sandbox
  for (const without of [false, true]) {
    const [[form, values] = assert.fail('no form')] = await filled('/console/sign-in', operator)
    const cookie = ((await send(form.path, values)).cookies[0] ?? '').split(';')[0] ?? ''
    const page = (await send('/console', undefined, cookie)).body
    const out = formsIn(page, '/console').find(({ path }) => path === '/console/sign-out') ?? assert.fail('no form')
    const token = valuesOf(out)
    assert.ok((token.once ?? '').length > 20)
    for (let at = 0; at < 2; at += 1)
      assert.equal((await send(out.path, without ? {} : token, cookie)).to, '/console/sign-in')
    assert.equal((await send('/console', undefined, cookie)).status, 303)
  }
})

it('a form with a code whose act is refused uses nothing up, is shown again, and has one effect when it is sent with another code', async () => {
  const { ask, signIn } = staffBrowser(() => exchange)
  const made = await createOperator(ctx(), { email: 'totp@example.com', password, role: 'admin' }, 'test')
  const { text } = await beginSecondFactor(ctx(), { operatorId: made.id, email: made.email })
  const secret = Buffer.from(base32.decode(text))
  const step = () => BigInt(Math.trunc(Date.now() / 30_000))
  await confirmSecondFactor(ctx(), made.id, totpCode(secret, step() - 1n))
  const unused = () => lookup(exchange, `update operators set totp_step = ${step() - 2n} where id = ${made.id}`)
  await unused()
  const cookie = await signIn(made.email, { code: totpCode(secret, step()) })
  const [subject, path] = [{ scope: 'asset', name: 'LTC-LTC' } as const, '/console/system']
  await halt(ctx(), subject, { reason: 'a drill', actor: 'test' })
  // What this form asks for has been done at another place: it is refused in the block that would use its code up.
  const formIn = (body: string) =>
    formsIn(body, path).find((one) => actionOf(one) === 'resume') ?? assert.fail('no form')
  const typed = { ...valuesOf(formIn((await ask(path, { cookie })).body)), reason: 'The drill <is> over.' }
  await resume(ctx(), subject, { reason: 'at another place', operator: made })
  await unused()
  const form: Record<string, string> = { ...typed, code: totpCode(secret, step()) }
  const refused = await ask(path, { cookie, form })
  assert.equal(refused.status, 409)
  assert.match(refused.body, /You have asked to resume this already/)
  const [own] = await lookup<{ step: string }>(
    exchange,
    `select totp_step::text as step from operators where id = ${made.id}`,
  )
  assert.ok(BigInt(own?.step ?? '') < step() - 1n, 'the code can still be used')
  assert.match(
    (await ask(path, { cookie, form })).body,
    /You have asked to resume this already/,
    'the first one’s outcome',
  )
  const shown = valuesOf(formIn(refused.body))
  assert.deepEqual([shown.reason, shown.code], ['The drill <is> over.', ''])
  assert.notEqual(shown.once, form.once)

  await halt(ctx(), subject, { reason: 'again', actor: 'test' })
  await unused()
  const again = { ...shown, code: totpCode(secret, step()) }
  for (const { status } of await Promise.all([ask(path, { cookie, form: again }), ask(path, { cookie, form: again })]))
    assert.equal(status, 303)
  assert.equal((await ask(path, { cookie, form: again })).status, 303)
  const audit = await lookup(
    exchange,
    `select 1 from audit where action = 'halt.resume_requested' and actor = $1 and subject = 'asset:LTC-LTC'`,
    [operatorSubject(made)],
  )
  assert.equal(audit.length, 2, 'the one at another place, and this one')
})

it('a form whose first use ended half-way says so, and is shown with another token', async () => {
  const { ask, signIn } = staffBrowser(() => exchange)
  const cookie = await signIn((await someone(ctx())).email, { password: 'correct horse battery' })
  const path = '/console/account'
  const form = formsIn((await ask(path, { cookie })).body, path).find((one) => actionOf(one) === 'need-mail')
  const values = valuesOf(form ?? assert.fail('no form'))
  assert.equal((await ask(path, { cookie, form: values })).status, 303)
  const [{ id } = assert.fail('nothing was used')] = await lookup<{ id: bigint }>(
    exchange,
    'select id from used_forms order by id desc limit 1',
  )
  const nothing = seal(ctx().secrets.sealing, 'null', outcomePlace(id))
  await lookup(exchange, `update used_forms set outcome = $1 where id = ${id}`, [nothing])
  const again = await ask(path, { cookie, form: values })
  assert.equal(again.status, 409)
  assert.match(again.body, /This form was used before, and what became of it is not known\./)
})

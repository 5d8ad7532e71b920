import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { newOnce } from '../../src/exchange/sign-in/once.ts'
import { type Filled, filledExchange, placeOf } from '../support/filled-exchange.ts'
import { type Walker, walkForms } from '../support/form-walk.ts'
import { actionOf, formsIn, type PageForm, valuesOf } from '../support/page-forms.ts'
import { askedBy, plainWalker, signInTo } from '../support/plain-walkers.ts'
import { staffForms } from '../support/staff-forms.ts'
import { isNever, wrongFields, wrongIn } from '../support/wrong-fields.ts'

let filled: Filled
before(async () => {
  filled = await filledExchange()
})
after(() => filled.exchange.stop())

type Values = Readonly<Record<string, string>>

const isTyped = ({ kind }: PageForm['fields'][number]): boolean =>
  /^(text|textarea|password|date|datetime-local|email|url)$/.test(kind)

/** Each way in which one field of a form is wrong, with all that is typed then. */
function wrongWays(form: PageForm, name: string, typed: Values): [field: string, values: Values][] {
  return form.fields.filter(isTyped).flatMap(({ name: field }) => {
    const wrong = wrongIn(name, field)
    assert.ok(wrong !== undefined, `${name}: nobody has said what is wrong in ${field}`)
    if (isNever(wrong)) return []
    if (typeof wrong === 'object' && 'value' in wrong)
      return [[field, { ...typed, ...wrong.also, [field]: wrong.value }] as [string, Values]]
    return [wrong].flat().map((value): [string, Values] => [field, { ...typed, [field]: value }])
  })
}

const refusedForm = /<form\b(?:"[^"]*"|[^>"])*\sdata-refused(?:"[^"]*"|[^>"])*>[\s\S]*?<\/form>/

/** What is missing in a page that refuses a field of a form. */
function faultsIn(body: string, path: string, field: string, sent: Values): string[] {
  const [html = ''] = refusedForm.exec(body) ?? []
  const [form] = formsIn(html, path)
  if (!form) return [`the form is not shown again: ${/role="alert"[^>]*>([\s\S]*?)<\/p>/.exec(body)?.[1] ?? ''}`]
  const shown = valuesOf(form)
  const typed = form.fields.filter(
    ({ kind, name }) => (isTyped({ name, kind } as never) || kind === 'select') && kind !== 'password',
  )
  const lost = typed
    .filter(({ name }) => name !== 'code' && shown[name] !== sent[name] && sent[name] !== undefined)
    .map(({ name }) => `${name} is lost`)
  const tag =
    [...html.matchAll(/<(?:input|textarea|select)\b(?:"[^"]*"|[^>"])*>/g)].find(([one]) =>
      one.includes(` name="${field}"`),
    )?.[0] ?? ''
  const [, about = ''] = /aria-describedby="([^"]*)"/.exec(tag) ?? []
  const isMarked = tag.includes('aria-invalid="true"')
  const isExplained = about.split(' ').some((id) => id.endsWith('-problem') && html.includes(` id="${id}"`))
  const said = /class="problem"[^>]*>([\s\S]*?)<\/p>/.exec(html)?.[1] ?? ''
  return [...lost, ...(isMarked && isExplained ? [] : [`not at the field: ${said.trim()}`])]
}

/** Sends a form of this name in each way in which one field is wrong; gives what is wrong with the answers. */
type Refusing = (form: PageForm, name: string, typed: Values) => Promise<string[]>

async function refusing(cookies: Values, tried: Set<string>): Promise<Refusing> {
  const base = placeOf(filled.exchange)
  return async (form, name, typed) => {
    const button = form.fields
      .filter(({ kind }) => kind === 'button')
      .map(({ name: of, value }): [string, string] => [of, value])
    const asked = askedBy(form.fields)
    const signed = asked === undefined || asked.includes('"user"') ? {} : { passkey: filled.passkey.answer(asked) }
    const problems: string[] = []
    for (const [field, values] of wrongWays(form, name, {
      ...valuesOf(form),
      ...Object.fromEntries(button),
      ...typed,
    })) {
      tried.add(`${name} ${field}`)
      const answer = await fetch(base + form.path, {
        method: 'POST',
        body: new URLSearchParams({ ...values, once: newOnce(), ...signed }),
        headers: { cookie: cookies[form.path.startsWith('/portal') ? 'portal' : 'console'] ?? '', origin: base },
        redirect: 'manual',
      })
      const body = await answer.text()
      const faults = answer.status < 400 ? ['it is not refused'] : faultsIn(body, form.path, field, values)
      problems.push(
        ...faults.map((one) => `${name}: ${field} "${values[field]?.slice(0, 20)}": ${answer.status}, ${one}`),
      )
    }
    return problems
  }
}

const confirm = '/console/account confirm'

describe('a form of the console or the portal', () => {
  it('that proposes a policy without a reason keeps the values that were tried', async () => {
    const { console: cookie } = await signInTo(filled)
    const base = placeOf(filled.exchange)
    const path = '/console/prices/fees'
    const send = async (form?: Values) => {
      const sent = form ? { method: 'POST', body: new URLSearchParams(form) } : {}
      return (await fetch(base + path, { ...sent, headers: { cookie, origin: base } })).text()
    }
    const formOf = (body: string, action: string) =>
      formsIn(body, path).find((form) => actionOf(form) === action) ?? assert.fail(`no form for ${action}`)
    const field = 'document.service.buy'
    const values = { ...valuesOf(formOf(await send(), 'try-propose')), action: 'try-propose', [field]: '1.25%' }
    const tried = formOf(await send(values), 'propose')
    const refused = await send({ ...valuesOf(tried), action: 'propose', reason: '' })
    assert.equal(valuesOf(formOf(refused, 'try-propose'))[field], '1.25%')
  })

  it('that is refused keeps what was typed, and says why at the field that is wrong', async () => {
    const problems: string[] = []
    const tried = new Set<string>()
    const cookies = await signInTo(filled)
    const rows = { read: () => Promise.resolve(new Map()), close: () => Promise.resolve() }
    const walker = await plainWalker(filled, cookies)
    const refuse = await refusing(cookies, tried)
    const press: Walker['press'] = async (form, at, typed) => {
      const name = staffForms.map((one) => one.name).find((one) => isName(one, form))
      // A page with the key of a second factor has another one each time.
      if (name !== undefined && name !== confirm) problems.push(...(await refuse(form, name, typed)))
      return walker.press(form, at, typed)
    }
    const account = '/console/account'
    const factor = formsIn(await walker.open(account), account).find((form) => isName(confirm, form))
    assert.ok(factor)
    problems.push(...(await refuse(factor, confirm, { present: filled.exchange.sandbox.operator.password })))
    const walk = await walkForms(filled, { ...walker, press }, rows)
    assert.deepEqual([...walk.problems, ...problems], [])
    const wrong = Object.entries(wrongFields).flatMap(([name, fields]) =>
      Object.entries(fields).flatMap(([field, one]) => (isNever(one) ? [] : [`${name} ${field}`])),
    )
    assert.deepEqual(
      wrong.filter((one) => !tried.has(one)),
      [],
      'listed, and no form has it',
    )
  })
})

/** Whether a form of a page is one of this name: its route, and its action. */
function isName(name: string, form: PageForm): boolean {
  const [route = '', action] = name.split(' ')
  const pattern = new RegExp(`^${route.replaceAll(/:\w+/g, '[^/]+')}$`)
  return action === actionOf(form) && pattern.test(form.path.split('?')[0] ?? '')
}

import { newOnce } from '../../src/exchange/sign-in/once.ts'

/** A field of a form: its name, what it holds, what may be chosen, and what a passkey is asked for. */
export type PageField = { name: string; kind: string; value: string; options: string[]; asked?: string | undefined }

/** What somebody types into a form of a page for people who are not signed in, as a browser sends it: with the form's token. */
export const typedAt = (path: string, form: Readonly<Record<string, string>>): URLSearchParams =>
  new URLSearchParams(/\/(sign-in|invitation\/)/.test(path) ? { once: newOnce(), ...form } : form)

/** A form of a page that is posted: where it goes, and its fields as a browser would send them. */
export type PageForm = { path: string; fields: PageField[] }

const attribute = (tag: string, name: string): string | undefined => {
  const [, value] = new RegExp(`\\s${name}="([^"]*)"`).exec(tag) ?? []
  return value === undefined ? undefined : unescaped(value)
}

const unescaped = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

/** Every form of a page that is posted; one with several buttons that have values is a form for each of them. */
export function formsIn(html: string, here: string): PageForm[] {
  return [...html.matchAll(/<form\b((?:"[^"]*"|[^>"])*)>([\s\S]*?)<\/form>/g)]
    .filter(([, tag = '']) => attribute(` ${tag}`, 'method')?.toLowerCase() === 'post')
    .map(([, tag = '', inner = '']) => ({ path: attribute(` ${tag}`, 'action') ?? here, fields: fieldsIn(inner) }))
    .flatMap(({ path, fields }) => {
      const [buttons, others] = [fields.filter(isButton), fields.filter((one) => !isButton(one))]
      return buttons.length === 0
        ? [{ path, fields }]
        : buttons.map((button) => ({ path, fields: [...others, button] }))
    })
}

const isButton = ({ kind }: PageField): boolean => kind === 'button'

function fieldsIn(inner: string): PageField[] {
  const inputs = [...inner.matchAll(/<input\b(?:"[^"]*"|[^>"])*>/g)].map(([tag]) => ({
    name: attribute(tag, 'name') ?? '',
    kind: attribute(tag, 'type') ?? 'text',
    value: attribute(tag, 'value') ?? '',
    options: [],
    asked: attribute(tag, 'data-passkey'),
  }))
  const areas = [...inner.matchAll(/<textarea\b((?:"[^"]*"|[^>"])*)>([\s\S]*?)<\/textarea>/g)].map(
    ([, tag = '', text = '']) => ({
      name: attribute(` ${tag}`, 'name') ?? '',
      kind: 'textarea',
      value: unescaped(text),
      options: [],
    }),
  )
  const selects = [...inner.matchAll(/<select\b((?:"[^"]*"|[^>"])*)>([\s\S]*?)<\/select>/g)].map(
    ([, tag = '', list = '']) => {
      const options = [...list.matchAll(/<option\b((?:"[^"]*"|[^>"])*)>/g)].map(([, one = '']) => ({
        value: attribute(` ${one}`, 'value') ?? '',
        isSelected: /\sselected\b/.test(one),
      }))
      return {
        name: attribute(` ${tag}`, 'name') ?? '',
        kind: 'select',
        value: (options.find(({ isSelected }) => isSelected) ?? options[0])?.value ?? '',
        options: options.map(({ value }) => value),
      }
    },
  )
  const buttons = [...inner.matchAll(/<button\b(?:"[^"]*"|[^>"])*>/g)].map(([tag]) => ({
    name: attribute(tag, 'name') ?? '',
    kind: 'button',
    value: attribute(tag, 'value') ?? '',
    options: [],
  }))
  return [...inputs, ...areas, ...selects, ...buttons].filter(({ name }) => name !== '')
}

/** What a form holds as it is shown. */
export const valuesOf = ({ fields }: PageForm): Record<string, string> =>
  Object.fromEntries(fields.filter(({ kind }) => kind !== 'button').map(({ name, value }) => [name, value]))

/** What a form is for: the value of its field `action`. */
export const actionOf = ({ fields }: PageForm): string => fields.find(({ name }) => name === 'action')?.value ?? ''

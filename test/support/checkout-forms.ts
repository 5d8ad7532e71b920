import { codeFor } from './customer.ts'
import type { Exchange } from './exchange.ts'

/** The versions that the pages of a sandbox show, as its forms name them. */
export const shownTerms = '1 1'

/** What a page answered. */
export type Answer = { status: number; headers: Headers; text: string }

/** A browser without a screen: asks for pages and posts forms, follows nothing. */
export type Forms = {
  get(url: string, headers?: Record<string, string>): Promise<Answer>
  post(url: string, form: Record<string, string>, headers?: Record<string, string>): Promise<Answer>
  /** Has a code sent: to the address that the partner passed, or, where none was, to this one. */
  ask(url: string, email: string): Promise<Answer>
  /** Proves an e-mail address and gives the browser's cookie. */
  prove(url: string, email: string): Promise<{ cookie: string }>
}

/** One for an exchange, whose own forms it says to be on. */
export function formsOn(exchange: Exchange): Forms {
  const send = async (url: string, options: RequestInit): Promise<Answer> => {
    const answer = await fetch(url, { redirect: 'manual', ...options })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
  const forms: Forms = {
    get: (url, headers = {}) => send(url, { headers }),
    post: (url, form, headers = {}) =>
      send(url, { method: 'POST', headers: { origin: exchange.url, ...headers }, body: new URLSearchParams(form) }),
    ask: async (url, email) => {
      const answer = await forms.post(url, { do: 'email', email })
      return answer.status === 403 ? forms.post(url, { do: 'send' }) : answer
    },
    prove: async (url, email) => {
      const cookie = cookieOf(await forms.ask(url, email))
      const code = await codeFor(exchange, email)
      const answer = await forms.post(url, { do: 'code', code, accepts: shownTerms }, { cookie })
      return { cookie: cookieOf(answer) }
    },
  }
  return forms
}

/** The cookie that an answer sets. */
export const cookieOf = ({ headers }: Pick<Answer, 'headers'>): string =>
  (headers.get('set-cookie') ?? '').split(';')[0] ?? ''

/** What a page is called. */
export const titleOf = ({ text }: Pick<Answer, 'text'>): string => /<h1[^>]*>([^<]*)/.exec(text)?.[1] ?? ''

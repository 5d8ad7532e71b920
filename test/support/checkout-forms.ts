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
  /** Proves an e-mail address and gives the browser's cookie. */
  prove(url: string, email: string): Promise<{ cookie: string }>
}

/** One for an exchange, whose own forms it says to be on. */
export function formsOn(exchange: Exchange): Forms {
  const ask = async (url: string, options: RequestInit): Promise<Answer> => {
    const answer = await fetch(url, { redirect: 'manual', ...options })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
  const forms: Forms = {
    get: (url, headers = {}) => ask(url, { headers }),
    post: (url, form, headers = {}) =>
      ask(url, { method: 'POST', headers: { origin: exchange.url, ...headers }, body: new URLSearchParams(form) }),
    prove: async (url, email) => {
      await forms.post(url, { do: 'email', email })
      const answer = await forms.post(url, {
        do: 'code',
        code: await codeFor(exchange, email),
        accepts: shownTerms,
      })
      return { cookie: (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '' }
    },
  }
  return forms
}

/** What a page is called. */
export const titleOf = ({ text }: Pick<Answer, 'text'>): string => /<h1[^>]*>([^<]*)/.exec(text)?.[1] ?? ''

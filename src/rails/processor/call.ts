import { isExactNumber, parseJson } from '../../platform/lib/json.ts'

/** What a processor answered. `body` is undefined where it is not JSON; its numbers are exact. */
export type Answer = { status: number; body: unknown }

/** One request to a processor. */
export type Call = {
  method: 'GET' | 'POST'
  path: string
  body?: Record<string, unknown>
  headers?: Record<string, string>
}

/** Calls a processor. Throws where it does not answer, or answers that it cannot: then nothing is known. */
export type Caller = (call: Call) => Promise<Answer>

export type CallerOptions = { baseUrl: string; headers: Record<string, string>; timeoutMs: number }

/** The longest answer that is read, in characters. */
const longest = 4_000_000

/** Answers that say nothing about what was asked: our own key or limits, or a fault of theirs. */
const isNoAnswer = (status: number): boolean => status >= 500 || [401, 403, 407, 408, 425, 429].includes(status)

/** Opens a caller. Redirections are not followed, and no error repeats what was sent. */
export function openCaller({ baseUrl, headers, timeoutMs }: CallerOptions): Caller {
  const base = baseUrl.replace(/\/+$/, '')
  return async ({ method, path, body, headers: more }) => {
    const what = `${method} ${path.split('?')[0] ?? ''}`
    const response = await fetch(base + path, {
      method,
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        accept: 'application/json',
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...headers,
        ...more,
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await response.text()
    if (isNoAnswer(response.status)) throw new Error(`The processor answered ${response.status} to ${what}.`)
    if (text.length > longest) throw new Error(`The processor's answer to ${what} is too long.`)
    return { status: response.status, body: jsonOf(text) }
  }
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** An object of a processor's answer; what it lacks is undefined. */
export type Fields = Readonly<Record<string, unknown>>

/** The value as an object; empty for anything else. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value) ? (value as Fields) : {}

/** The value as a list; empty for anything else. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : [])

/** The value as a text; empty for anything else. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** A whole number of an answer, written as a number or as a text; undefined for anything else. */
export function integerOf(value: unknown): bigint | undefined {
  const text = isExactNumber(value) ? value.text : textOf(value)
  return /^-?\d{1,30}$/.test(text) ? BigInt(text) : undefined
}

/** The time of a text; undefined for other texts. */
export function timeOf(value: unknown): Date | undefined {
  const at = new Date(textOf(value))
  return Number.isFinite(at.getTime()) ? at : undefined
}

import pino from 'pino'

/** What a log line may carry: names, counts, ids. Never a key, an address of a person, a mail or a body. */
export type Log = {
  debug(facts: object, message: string): void
  info(facts: object, message: string): void
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
}

/**
 * A log in JSON lines on standard error. Errors are written with their stack but without the values that traveled with
 * them: a database error's `detail` and `where` can hold a customer's data.
 */
export function createLog(level: string): Log {
  return pino(
    { level, base: null, serializers: { err: showError }, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: 2, sync: true }),
  )
}

/** A log that says nothing: for tests that expect faults. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} }

function showError(error: unknown): object {
  if (!(error instanceof Error)) return { message: 'something that is not an Error was thrown' }
  const { name, message, stack } = error
  const code = 'code' in error ? error.code : undefined
  return { name, message, code, stack }
}

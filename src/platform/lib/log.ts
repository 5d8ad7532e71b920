import pino from 'pino'

/** Fields are names, counts and ids. Never a key, a person's address, an e-mail or a body. */
export type Log = {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/**
 * A log of JSON lines on standard error. Errors are logged with their stack but without the values attached to
 * them: a database error's `detail` and `where` can hold a customer's data.
 */
export function createLog(level: string): Log {
  return pino(
    { level, base: null, serializers: { err: showError }, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: 2, sync: true }),
  )
}

/** For tests that expect faults. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} }

function showError(error: unknown): object {
  if (!(error instanceof Error)) return { message: 'A value that is not an Error was thrown.' }
  const { name, message, stack } = error
  const code = 'code' in error ? error.code : undefined
  return { name, message, code, stack }
}

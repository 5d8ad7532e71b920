/**
 * How long something may take for which we promise a time, in milliseconds. On a busy machine a test finds only what hangs, so the
 * time is ten times the promise there; `TIMES=exact`, as in `bin/check`, holds tests to the promise itself, one file at a time.
 */
export const promised = (ms: number): number => (process.env.TIMES === 'exact' ? ms : 10 * ms)

/** The clock of a job: business time for what the business promises, real time for polling the outside world. */
export type Timebase = 'business' | 'real'

/** Work for later. `kind` names the task, `key` its subject; a job with the same kind and key exists once. */
export type NewJob = { kind: string; key: string; runAt: Date; timebase?: Timebase }

/** A job that this process has claimed. The next claim raises the fence, and then this one can no longer write anything. */
export type Job = { id: bigint; kind: string; key: string; timebase: Timebase; attempts: number; fence: bigint }

/** Runs the jobs of one kind. */
export type Handler = {
  /** The most jobs of one call. A batch that fails is repeated one by one. */
  batch: number
  /** The most concurrent calls in this process. */
  concurrency: number
  /**
   * Runs the jobs, and ends or reschedules each in the same atomic block as its effects (`finish`, `revisit`). Any throw is a failed
   * attempt: it is retried later, and shows up in `stuck`.
   */
  run(jobs: Job[]): Promise<void>
}

/** The delay before a retry, in milliseconds: 1 s, 2 s, 4 s, ... up to 5 minutes. */
export const backoffMs = (attempts: number): number => Math.min(300_000, 1_000 * 2 ** Math.min(attempts, 10))

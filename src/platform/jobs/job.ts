/** By which clock a job is due: business time for what the business promises, real time for looking at the outside world. */
export type Timebase = 'business' | 'real'

/** Work to be done later. `kind` names the fact or the task, `key` what it is about; a job with both the same exists once. */
export type NewJob = { kind: string; key: string; runAt: Date; timebase?: Timebase }

/** A job that this process has claimed. Whoever claims it next raises the fence, and this claim can write nothing any more. */
export type Job = { id: bigint; kind: string; key: string; timebase: Timebase; attempts: number; fence: bigint }

/** What does the jobs of one kind. */
export type Handler = {
  /** The most jobs that one call may get. A batch that fails is tried again one by one. */
  batch: number
  /** The most calls under way at once in this process. */
  concurrency: number
  /**
   * Does the jobs, ending each in the same atomic block as its effects (`finishJobs`). A job neither ended nor put off by
   * then, or any throw, is a failed attempt: it is tried again later, and shows up in `stuck`.
   */
  run(jobs: Job[]): Promise<void>
}

/** Waiting time before a failed attempt is repeated, in milliseconds: 1 s, 2 s, 4 s ... up to 5 minutes. */
export const backoffMs = (attempts: number): number => Math.min(300_000, 1_000 * 2 ** Math.min(attempts, 10))

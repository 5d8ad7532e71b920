/** Something whose work becomes due by business time: the queue of jobs, the deliveries of webhooks. */
export type DueWork = {
  /** The next time at or before `until` at which something is due, and how much is due by then. */
  nextDue(until: Date): Promise<{ at: Date; count: number } | undefined>
  /** Looks for due work at once. */
  wake(): void
  /** Whether nothing is under way here that might make something due. */
  idle(): boolean
  /** How much of it was done here since the start; undefined where that is not counted. */
  done?(): number
  /** How long an advance of the sandbox's clock waits for it in all, in real time; it continues later. Undefined: until it is done. */
  mostWaitMs?: number
}

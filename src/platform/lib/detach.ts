/**
 * Runs work without waiting for it. The work handles its own failures; one that escapes is a bug and crashes the process
 * rather than being lost.
 */
export function detach(work: Promise<unknown>): void {
  work.catch((error: unknown) => {
    setImmediate(() => {
      throw error
    })
  })
}

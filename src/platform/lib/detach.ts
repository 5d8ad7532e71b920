/**
 * Lets work go on by itself. The work handles its own failures; one that escapes it is a bug, and ends the process loudly
 * rather than being lost.
 */
export function detach(work: Promise<unknown>): void {
  work.catch((error: unknown) => {
    setImmediate(() => {
      throw error
    })
  })
}

import type { ChildProcess } from 'node:child_process'

/** Ends a program that leads a group of processes, with all that it has started and not ended, wherever they stand. */
export function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    const isGone = error instanceof Error && 'code' in error && error.code === 'ESRCH'
    if (!isGone) throw error
  }
}

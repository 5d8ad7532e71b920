import { detach } from '../lib/detach.ts'

/** How a queue starts work: at once and by timers in a service, step by step in the simulation. Work handles its own failures. */
export type Scheduler = {
  start(work: () => Promise<void>): void
  /** Starts work after some milliseconds, unless the returned function is called before. */
  later(work: () => Promise<void>, ms: number): () => void
  /** Starts work again and again, until the returned function is called. */
  every(work: () => Promise<void>, ms: number): () => void
}

/** Starts work at once and by timers. */
export const realScheduler: Scheduler = {
  start: (work) => detach(work()),
  later: (work, ms) => {
    const timer = setTimeout(() => detach(work()), ms)
    return () => clearTimeout(timer)
  },
  every: (work, ms) => {
    const timer = setInterval(() => detach(work()), ms)
    return () => clearInterval(timer)
  },
}

import { detach } from '../lib/detach.ts'

/**
 * By what a queue sets work going and lets time pass: at once and by timers in a service, or by the hand of whoever drives it
 * step by step. What is begun handles its own failures.
 */
export type Pace = {
  /** Sets work going by itself. */
  begin(work: () => Promise<void>): void
  /** Begins work after some milliseconds, unless the function that it gives is called before. */
  later(work: () => Promise<void>, ms: number): () => void
  /** Begins work again and again, until the function that it gives is called. */
  every(work: () => Promise<void>, ms: number): () => void
}

/** At once, and by timers. */
export const realPace: Pace = {
  begin: (work) => detach(work()),
  later: (work, ms) => {
    const timer = setTimeout(() => detach(work()), ms)
    return () => clearTimeout(timer)
  },
  every: (work, ms) => {
    const timer = setInterval(() => detach(work()), ms)
    return () => clearInterval(timer)
  },
}

import { type ChildProcess, fork } from 'node:child_process'
import { basename, join } from 'node:path'

/** Another process of the bench, which does one order after the other. */
export type HelperProcess<Order, Done> = {
  pid: number
  ask(order: Order): Promise<Done>
  end(): void
}

type Reply<Done> = { done: Done } | { failed: string }

/** Starts a file of this folder as its own process. */
export function startHelper<Order extends object, Done>(file: string): HelperProcess<Order, Done> {
  const child = fork(join(import.meta.dirname, file), { stdio: 'inherit' })
  return { pid: child.pid ?? 0, ask: (order) => askChild(child, order), end: () => void child.kill() }
}

function askChild<Done>(child: ChildProcess, order: object): Promise<Done> {
  return new Promise((resolve, reject) => {
    const over = (code: number | null) => reject(new Error(`A process of the bench ended (${code}).`))
    child.once('exit', over)
    child.once('message', (message) => {
      child.off('exit', over)
      const answer = message as Reply<Done>
      if ('failed' in answer) reject(new Error(answer.failed))
      else resolve(answer.done)
    })
    child.send(order)
  })
}

/** Does orders from now on, if this process is the one that was started for `file`. */
export function answerOrders<Order, Done>(file: string, work: (order: Order) => Promise<Done>): void {
  if (!process.send || basename(process.argv[1] ?? '') !== file) return
  const tell = (reply: Reply<Done>) => void process.send?.(reply)
  process.on('message', (order) => {
    work(order as Order).then(
      (done) => tell({ done }),
      (error: unknown) => tell({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    )
  })
  process.on('disconnect', () => process.exit(0))
}

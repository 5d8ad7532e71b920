import type { Ctx } from '../../src/exchange/context.ts'

/** Does something while no real time passes for a process: no bucket of a rate limit fills, however long it takes. */
export async function whileStill<Done>({ clock }: Pick<Ctx, 'clock'>, work: () => Promise<Done>): Promise<Done> {
  const { realNow } = clock
  const at = realNow()
  clock.realNow = () => at
  try {
    return await work()
  } finally {
    clock.realNow = realNow
  }
}

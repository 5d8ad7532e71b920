import { ended } from '../../src/exchange/transactions/lifecycle.ts'
import { verify } from '../../src/exchange/checks/verify.ts'
import { moveTo } from './house-work.ts'
import { violations } from './invariants.ts'
import { lookAtDeals } from './look.ts'
import { tellSilenced } from './rails.ts'
import { resumeAll, sentenceOf, settleHolds } from './settle.ts'
import { bringMoney, type Stage } from './stage.ts'
import { placeEvents } from './worker.ts'

/** How often everything is let go on before what is left counts as stuck. */
const mostRounds = 400

/**
 * Lets everything come to rest: no faults, rails that tell what they kept back, work that is done. Then the whole is verified.
 * In the end (`isEnd`) there is also money for every payout, people answer what they are asked, deadlines pass, and every
 * transaction must have ended. Gives a line for the trace.
 */
export async function becalm(stage: Stage, isEnd: boolean): Promise<string> {
  const [worker] = stage.workers
  if (!worker) throw new Error('There is no process.')
  const alone = (task: () => Promise<unknown>) => stage.scheduler.run([async () => void (await task())])
  await alone(() => tellSilenced(stage, worker))
  await alone(() => resumeAll(worker))
  await rest(stage)
  if (isEnd) {
    for (let round = 0; round < 6 && stage.deals.some(({ status }) => !ended.has(status as never)); round += 1) {
      await alone(() =>
        worker.composition.ctx.db.atomic((db) => bringMoney(worker.composition.ctx, db, 200_000n, false)),
      )
      stage.pass(11_000)
      await rest(stage)
      await alone(() => settleHolds(stage, worker))
      await rest(stage)
      await alone(() =>
        moveTo(stage.workers, worker, new Date(worker.composition.ctx.clock.now().getTime() + 20 * 86_400_000)),
      )
      await rest(stage)
    }
    const open = stage.deals.filter(({ status }) => !ended.has(status as never))
    if (open.length > 0) throw new Error(`Not ended when all was calm: ${open.map(sentenceOf).join(', ')}`)
  }
  let problems: string[] = []
  await alone(async () => {
    problems = await verify(worker.composition.ctx)
  })
  if (problems.length > 0) throw new Error(`verify found:\n  ${problems.slice(0, 10).join('\n  ')}`)
  return `calm ${stage.deals.length}`
}

/** Does all work that is due, and lets real time pass, until only business time could make anything due. */
async function rest(stage: Stage): Promise<void> {
  for (let round = 0; round < mostRounds; round += 1) {
    for (const worker of stage.workers) {
      worker.composition.ctx.queue.wake()
      while (worker.begun.length > 0) await stage.scheduler.run(worker.begun.splice(0, 1))
    }
    await stage.revive()
    const [first] = stage.workers
    if (!first) throw new Error('There is no process.')
    await stage.scheduler.run([() => placeEvents(first)])
    await lookAtDeals(stage)
    const found = await violations(stage)
    if (found.length > 0) throw new Error(`This does not hold at rest:\n  ${found.slice(0, 10).join('\n  ')}`)
    if (await isStill(stage)) return
    // A transfer that was final may be undone while all comes to rest.
    if (round % 10 === 9) await stage.scheduler.run([() => resumeAll(first)])
    stage.pass(round < 20 ? 1_000 : 11_000)
  }
  const { rows } = await stage.owner.query<{ job: string }>(
    `select concat_ws(' ', jobs.kind, key, timebase, attempts, last_error, payouts.purpose, payouts.state, payouts.place,
       payouts.asset, payouts.amount, public_id, transactions.status, rail_events.rail, rail_events.kind) as job
     from jobs left join payouts on payouts.id::text = key and jobs.kind = 'payout.due'
     left join transactions on transactions.id = payouts.transaction_id
     left join rail_events on rail_events.id::text = key and jobs.kind = 'fact.received'
     where ${isAwake} order by jobs.run_at limit 5`,
    nowIn(stage),
  )
  throw new Error(`Work does not come to an end:\n  ${rows.map(({ job }) => job).join('\n  ')}`)
}

/**
 * A job that keeps everything from being still: not one that business time makes due, that waits for money (also where a part of it
 * was taken back after the plan), or that real time makes due in an hour or more, as another look at an identity check after a day.
 * $1 is business time, $2 real time.
 */
const isAwake = `
  (jobs.lease_until is not null or case jobs.timebase
    when 'real' then jobs.attempts > 0 or jobs.run_at < $2::timestamptz + interval '1 hour'
    else jobs.run_at <= $1 end)
  and not (jobs.kind = 'payout.due' and exists (select 1 from payouts where id::text = key and state = 'waiting'))
  and not (jobs.kind = 'refund.due' and exists (select 1 from payouts where refund_id::text = key and state = 'waiting'))
  and not (jobs.kind = 'plan.due' and exists (select 1 from payouts join reserves using (place, asset)
    where plan_id::text = key and reserved > covered))
  and not (jobs.kind = 'transaction.deadline' and jobs.timebase = 'real')`

const nowIn = ({ workers, realNow }: Stage) => [workers[0]?.composition.ctx.clock.now(), new Date(realNow())]

async function isStill(stage: Stage): Promise<boolean> {
  const { rows } = await stage.owner.query(`select 1 from jobs where ${isAwake} limit 1`, nowIn(stage))
  return rows.length === 0
}

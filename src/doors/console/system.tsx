import { findStuck } from '../../exchange/checks/stuck.ts'
import { haltedRails } from '../../exchange/settlement/halted-rails.ts'
import { isWorkerAlive } from '../../platform/jobs/heartbeat.ts'
import { renderPage } from './layout.tsx'
import type { Page } from './page.ts'
import { Facts, Moment, Table } from './table.tsx'

/** `/console/system`: workers, rails, and what has waited too long. */
export const systemPage: Page = {
  path: '/console/system',
  needs: 'system.view',
  show: async (visit) => {
    const { ctx } = visit
    const [isAlive, halted, stuck] = await Promise.all([isWorkerAlive(ctx), haltedRails(ctx.db), findStuck(ctx)])
    const stops = new Map(halted.map((one) => [one.rail, one]))
    const page = (
      <>
        <Facts
          facts={[
            ['Workers', isAlive ? 'running' : 'NOT RUNNING: nothing is paid out'],
            ['Business time', <Moment at={ctx.clock.now()} />],
          ]}
        />
        <section aria-labelledby="rails">
          <h2 id="rails">Rails</h2>
          <Table
            caption="Rails"
            columns={['Rail', 'Account', 'Takes in', 'Pays out', 'State']}
            empty="No rail is connected."
            rows={ctx.rails.all.map(({ name, custodyAccount, deposit, payout }) => {
              const stop = stops.get(name)
              return [
                name,
                custodyAccount,
                deposit ? 'yes' : 'no',
                payout ? 'yes' : 'no',
                stop ? `HALTED: ${stop.reason}` : 'open',
              ]
            })}
          />
        </section>
        <section aria-labelledby="stuck">
          <h2 id="stuck">Waiting too long</h2>
          <Table
            caption="What has waited too long"
            columns={['What', 'State', 'Id', 'Since', 'Waits for']}
            empty="Nothing is stuck."
            rows={stuck.map((one) => [one.what, one.state, one.id, <Moment at={one.since} />, one.waitsFor])}
          />
        </section>
      </>
    )
    return { body: renderPage(visit, 'System', page) }
  },
}

import { haltNow, railActions, restoreActions, resumeActions } from '../../exchange/actions/halts.ts'
import { stuckJobs } from '../../platform/jobs/inspect.ts'
import { isWorkerAlive } from '../../platform/jobs/heartbeat.ts'
import { securityEventKinds } from '../../platform/lib/security-events.ts'
import { type Halt, readHalts } from '../../rails/halts.ts'
import { allActions } from '../../exchange/actions/all.ts'
import { actOn, formsAbout, formsOf } from '../pages/actions.tsx'
import { renderPage } from './layout.tsx'
import { group, type Page, type Visit } from './page.ts'
import { whoIs } from './who.ts'
import { Facts, Moment, spaced, Table } from '../pages/table.tsx'

const mostJobs = 100

/** `/console/system`: workers, halts, rails, security events, and work that fails. */
export const systemPage: Page = {
  path: '/console/system',
  needs: 'system.view',
  show: async (visit) => {
    const { ctx } = visit
    const [nameOf, isAlive, halts, jobs] = await Promise.all([
      whoIs(ctx),
      isWorkerAlive(ctx),
      readHalts(ctx.db),
      stuckJobs(ctx.db, ctx.clock, mostJobs),
    ])
    const page = (
      <>
        <Facts
          facts={[
            ['Workers', isAlive ? 'running' : 'NOT RUNNING: nothing is paid out'],
            ['Business time', <Moment at={ctx.clock.now()} />],
          ]}
        />
        {await haltsOf(visit, halts, nameOf)}
        <Rails visit={visit} halts={halts} />
        <section aria-labelledby="security">
          <h2 id="security">Security events</h2>
          <Table
            caption="Security events in this process since it started"
            columns={['Kind', 'Count']}
            empty="None since this process started."
            rows={securityEventKinds
              .map((kind) => [spaced(kind), ctx.security.count(kind)] as const)
              .filter(([, count]) => count > 0)
              .map(([kind, count]) => [kind, String(count)])}
          />
          <p class="hint">
            Of this process only. The metrics have those of every process, and the log has the network of each.
          </p>
        </section>
        <section aria-labelledby="jobs">
          <h2 id="jobs">Work that fails or is overdue</h2>
          <Table
            caption="Work that fails or is overdue"
            columns={['Work', 'Key', 'Attempts', 'Due', 'Last error']}
            empty="All work is done as it falls due."
            rows={jobs.map((one) => [
              one.kind,
              one.key,
              String(one.attempts),
              <Moment at={one.runAt} />,
              <span class="wrap">{one.lastError ?? ''}</span>,
            ])}
          />
        </section>
        <OnTheMachine />
      </>
    )
    return { body: renderPage(visit, 'System', page) }
  },
  act: actOn([group([haltNow]), group(resumeActions), group(railActions), group(restoreActions)]),
}

/** What has a command and no form, and why. */
const OnTheMachine = () => (
  <section aria-labelledby="machine">
    <h2 id="machine">Only by command</h2>
    <Table
      caption="What is done by command only"
      columns={['What', 'Command', 'Why']}
      empty=""
      rows={allActions
        .flatMap(([, actions]) => actions)
        .filter(({ noForm }) => noForm !== undefined)
        .map(({ title, subject, name, noForm, commands: [command] = [] }) => [
          title,
          <code>{`cambio ${command?.words ?? `${subject.noun} ${name}`}`}</code>,
          noForm,
        ])}
    />
  </section>
)

const Rails = ({ visit, halts }: { visit: Visit; halts: readonly Halt[] }) => (
  <section aria-labelledby="rails">
    <h2 id="rails">Rails</h2>
    <Table
      caption="Rails"
      columns={['Rail', 'Account', 'Takes in', 'Pays out', 'State']}
      empty="No rail is connected."
      rows={visit.ctx.rails.all.map(({ name, custodyAccount, deposit, payout }) => {
        const stop = halts.find((one) => one.name === name && (one.scope === 'rail' || one.scope === 'crediting'))
        const state = stop ? `HALTED: ${stop.reason}` : 'open'
        return [name, custodyAccount, deposit ? 'yes' : 'no', payout ? 'yes' : 'no', state]
      })}
    />
  </section>
)

/** What is halted, with the form that ends it. */
function resumeForms(visit: Visit, { scope, name }: Halt) {
  if (scope === 'restored') return formsAbout(visit, restoreActions, '')
  if (scope === 'crediting') return formsAbout(visit, railActions, name)
  return formsAbout(visit, resumeActions, `${scope} ${name}`.trim())
}

async function haltsOf(visit: Visit, halts: readonly Halt[], nameOf: (actor: string | null) => string) {
  const forms = await Promise.all(halts.map((one) => resumeForms(visit, one)))
  return (
    <section aria-labelledby="halts">
      <h2 id="halts">Halts</h2>
      <Table
        caption="What is halted"
        columns={['What', 'Since', 'Why', 'By', 'Resume']}
        empty="Nothing is halted."
        rows={halts.map((one, at) => [
          `${one.scope} ${one.name}`.trim(),
          <Moment at={one.since} />,
          one.reason,
          nameOf(one.haltedBy),
          forms[at],
        ])}
      />
      <div class="actions">{await formsOf(visit, [haltNow], undefined)}</div>
    </section>
  )
}

import { findStuck } from '../../exchange/checks/stuck.ts'
import { listOperators, operatorSubject } from '../../exchange/operators/operator.ts'
import { halt, type HaltSubject, resume } from '../../exchange/settlement/halts.ts'
import { isWorkerAlive } from '../../platform/jobs/heartbeat.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { securityEventKinds } from '../../platform/lib/security-events.ts'
import { type Halt, readHalts } from '../../rails/halts.ts'
import { ActionField, ActionForm } from '../pages/form.tsx'
import { renderPage } from './layout.tsx'
import type { Page, Visit } from './page.ts'
import { Facts, Moment, spaced, Table } from '../pages/table.tsx'

/** `/console/system`: workers, halts, rails, security events, and what has waited too long. */
export const systemPage: Page = {
  path: '/console/system',
  needs: 'system.view',
  show: async (visit) => {
    const { ctx } = visit
    const [isAlive, halts, stuck] = await Promise.all([isWorkerAlive(ctx), readHalts(ctx.db), findStuck(ctx)])
    const page = (
      <>
        <Facts
          facts={[
            ['Workers', isAlive ? 'running' : 'NOT RUNNING: nothing is paid out'],
            ['Business time', <Moment at={ctx.clock.now()} />],
          ]}
        />
        <Halts visit={visit} halts={halts} />
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
  act: async (visit) => {
    await act(visit)
    return { to: visit.path }
  },
}

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

const Halts = ({ visit, halts }: { visit: Visit; halts: readonly Halt[] }) => (
  <section aria-labelledby="halts">
    <h2 id="halts">Halts</h2>
    <Table
      caption="What is halted"
      columns={['What', 'Since', 'Why', 'By', 'Resume']}
      empty="Nothing is halted."
      rows={halts.map((one) => [
        `${one.scope} ${one.name}`.trim(),
        <Moment at={one.since} />,
        one.reason,
        one.haltedBy,
        visit.may('system.halt') && one.scope !== 'crediting' && one.scope !== 'restored' ? (
          <ActionForm
            visit={visit}
            action="resume"
            name={one.resumeBy ? 'Resume, as the second' : 'Ask to resume'}
            class="inline"
          >
            <input type="hidden" name="scope" value={one.scope} />
            <input type="hidden" name="name" value={one.name} />
            <ActionField id={`resume-${one.scope}-${one.name}`} name="reason" label="Reason" required />
          </ActionForm>
        ) : null,
      ])}
    />
    {visit.may('system.halt') ? (
      <details>
        <summary>Halt</summary>
        <ActionForm visit={visit} action="halt" name="Halt now">
          <p class="hint">
            Nothing that is halted is paid out, from the moment this page comes back. Money that arrives is booked. Two
            operators resume it.
          </p>
          <div class="field">
            <label for="scope">What</label>
            <select id="scope" name="scope">
              <option value="payouts">All payouts</option>
              <option value="all">Everything: new orders, too</option>
              <option value="rail">One rail</option>
              <option value="asset">One asset</option>
            </select>
          </div>
          <ActionField
            id="name"
            name="name"
            label="Name of the rail or asset"
            hint="A rail as listed below, or an asset as in BTC-BTC."
          />
          <ActionField id="reason" name="reason" label="Reason" required />
        </ActionForm>
      </details>
    ) : null}
  </section>
)

async function act({ ctx, form, operator, may }: Visit & { form: URLSearchParams }): Promise<void> {
  if (!may('system.halt')) throw new Refusal('FORBIDDEN', 'Your role does not include this action.')
  const subject = subjectIn(form)
  const reason = form.get('reason') ?? ''
  switch (form.get('action') ?? '') {
    case 'halt':
      await halt(ctx, subject, { reason, actor: operatorSubject({ id: operator.operatorId }) })
      return
    case 'resume': {
      const self = (await listOperators(ctx)).find(({ id }) => id === operator.operatorId)
      if (!self) throw new Refusal('FORBIDDEN', 'You are no operator any more.')
      await resume(ctx, subject, { reason, operator: self })
      return
    }
    default:
      throw new Refusal('BAD_REQUEST', 'There is no such action.')
  }
}

function subjectIn(form: URLSearchParams): HaltSubject {
  const [scope, name] = [form.get('scope') ?? '', (form.get('name') ?? '').trim()]
  if (scope === 'all' || scope === 'payouts') return { scope, name: '' }
  if (scope === 'rail' || scope === 'asset') return { scope, name }
  throw new Refusal('BAD_REQUEST', 'This can not be halted.')
}

import type { ComponentChildren } from 'preact'

import { changesHtml } from '../../doors/api/root.ts'
import { OnceField } from '../../doors/pages/form.tsx'
import { renderDocument } from '../../doors/ui/document.tsx'
import type { Sheet } from '../../doors/ui/serve-file.ts'
import { languageOf } from '../../platform/language/language.ts'
import type { Scenario } from '../api/scenarios.ts'
import type { Seeds } from '../sandbox-file.ts'
import type { RecentEvent } from './queries.ts'
import type { RecentCall } from './recent-calls.ts'

/** What the page says about the last form: what went wrong, or what was played. */
export type StartNotice = { problem: string } | { played: string; transactionId: string }

/** What the start page shows. `secrets` is undefined where they must not be shown. */
export type Start = {
  sheet: Sheet
  icon: string
  notice: StartNotice | undefined
  calls: readonly RecentCall[]
  events: readonly RecentEvent[]
  scenarios: readonly Scenario[]
  apiUrl: string
  calculator: string
  secrets: Omit<Seeds, 'partner_id'> | undefined
}

const heading = 'Your own crypto exchange, running'

/** The first page of a sandbox, as HTML. */
export const renderStart = (start: Start): string =>
  renderDocument({
    title: `${heading} · Cambio sandbox`,
    language: languageOf('en'),
    styles: start.sheet,
    scripts: [],
    icon: start.icon,
    children: (
      <main>
        <Introduction {...start} />
        <div class="sides">
          <div class="side">
            <Log {...start} />
            <Keys {...start} />
          </div>
          <Scenarios {...start} />
        </div>
        <section dangerouslySetInnerHTML={{ __html: changesHtml }} />
      </main>
    ),
  })

function Introduction({ notice, calculator, secrets }: Start) {
  return (
    <>
      <h1>{heading}</h1>
      <p class="lead">
        Buy, sell and swap coins through a hosted checkout, an embedded calculator or the API. This is a sandbox: cards,
        banks and chains are simulated, and no real money moves.
      </p>
      {notice === undefined ? null : <Notice notice={notice} />}
      <div class="try">
        <form method="post" action="/">
          <input type="hidden" name="do" value="buy" />
          <OnceField />
          <button type="submit" class="button">
            Buy €100 of Bitcoin
          </button>
        </form>
        <a href={calculator}>Open the calculator</a>
      </div>
      <p class="hint">Enter any e-mail address. The code arrives in the sandbox mail. Card 4242 4242 4242 4242 pays.</p>
      <nav aria-label="Sandbox">
        <ul>
          {secrets === undefined ? null : <SignedIn />}
          {links.map(([path, name]) =>
            secrets !== undefined && areas.has(path) ? null : (
              <li key={path}>
                <a href={path}>{name}</a>
              </li>
            ),
          )}
        </ul>
      </nav>
    </>
  )
}

/** Pages of people with accounts: on this machine, a button signs in as the sandbox's own. */
const areas: ReadonlyMap<string, string> = new Map([
  ['/console', 'console'],
  ['/portal', 'portal'],
])

const SignedIn = () => (
  <>
    {[...areas].map(([path, area]) => (
      <li key={path}>
        <form method="post" action="/">
          <input type="hidden" name="do" value={area} />
          <OnceField />
          <button type="submit" class="quiet">
            {area === 'console' ? 'Open the console' : 'Open the portal'}
          </button>
        </form>
      </li>
    ))}
  </>
)

const links = [
  ['/sandbox/mail', 'Sandbox mail'],
  ['/console', 'Console'],
  ['/portal', 'Portal'],
  ['/docs/quickstart', 'Quickstart'],
  ['/docs', 'Documentation'],
  ['/openapi.json', 'OpenAPI'],
  ['/v1/status', 'Status'],
] as const

function Notice({ notice }: { notice: StartNotice }) {
  return (
    <p class="notice" role="status">
      {'problem' in notice ? (
        notice.problem
      ) : (
        <span>
          Played: {notice.played}. <a href={`/console/orders/${notice.transactionId}`}>Order {notice.transactionId}</a>
        </span>
      )}
    </p>
  )
}

function Scenarios({ scenarios }: Start) {
  return (
    <section aria-labelledby="scenarios">
      <h2 id="scenarios">Scenarios</h2>
      <p class="hint">
        Each button plays one whole order, which can take some seconds. Some move the sandbox clock forward for
        everyone.
      </p>
      <ul class="plays">
        {scenarios.map(({ name, title }) => (
          <li key={name}>
            <form method="post" action="/">
              <input type="hidden" name="do" value="play" />
              <input type="hidden" name="name" value={name} />
              <OnceField />
              <button type="submit" class="quiet">
                {title}
              </button>
            </form>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Log({ calls, events }: Start) {
  return (
    <section aria-labelledby="log">
      <h2 id="log">What just happened</h2>
      <p>
        <a href="/">Refresh</a>
      </p>
      <Recent
        caption="API calls"
        columns={['Time (UTC)', 'Call', 'Status']}
        empty="No API calls yet. Press a button."
        rows={calls.map(({ at, method, route, status }) => [
          <time datetime={at.toISOString()}>{at.toISOString().slice(11, 19)}</time>,
          <code>
            {method} {route}
          </code>,
          String(status),
        ])}
      />
      <Recent
        caption="Events and webhooks"
        columns={['Sandbox time (UTC)', 'Event', 'Webhook']}
        empty="No events yet."
        rows={events.map(({ at, type, stream, outcome, status }) => [
          <time datetime={at.toISOString()}>{at.toISOString().slice(5, 19).replace('T', ' ')}</time>,
          <>
            <code>{type}</code> <a href={`/console/orders/${stream}`}>{String(stream)}</a>
          </>,
          outcome === null ? 'Not sent' : `${outcome}${status === null ? '' : ` (${status})`}`,
        ])}
      />
    </section>
  )
}

type RecentProps = { caption: string; columns: readonly string[]; empty: string; rows: ComponentChildren[][] }

function Recent({ caption, columns, empty, rows }: RecentProps) {
  if (rows.length === 0) return <p class="hint">{empty}</p>
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map((cell, column) => (
                <td key={column}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Keys({ secrets, apiUrl }: Start) {
  return (
    <section aria-labelledby="keys">
      <h2 id="keys">Keys</h2>
      {secrets === undefined ? (
        <p>
          The API is at <code>{apiUrl}</code>. The keys and the operator's password are in <code>sandbox.json</code> on
          the server. They are shown here only when the sandbox is opened on its own machine.
        </p>
      ) : (
        <dl>
          {[
            ['API', apiUrl],
            ['Public key', secrets.public_key],
            ['Secret key', secrets.secret_key],
            ['Widget secret', secrets.widget_secret],
            ['Webhook secret', secrets.webhook_secret],
            ['Console e-mail', secrets.operator.email],
            ['Console password', secrets.operator.password],
            ['Portal e-mail', secrets.portal.email],
            ['Portal password', secrets.portal.password],
          ].map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <code>{value}</code>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  )
}

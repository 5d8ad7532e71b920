import { endpointActions, replayActions } from '../../exchange/actions/endpoints.ts'
import { listAttempts, type SeenAttempt } from '../../exchange/webhooks/attempts.ts'
import { isSignedFor } from '../../exchange/webhooks/check-signature.ts'
import { type Endpoint, listEndpoints, showEndpoint } from '../../exchange/webhooks/endpoint.ts'
import { readId } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { actOn, formsOf } from '../pages/actions.tsx'
import { ActionForm } from '../pages/form.tsx'
import { Moment, StatusLabel, Table } from '../pages/table.tsx'
import { Notice } from '../ui/notice.tsx'
import { type FormVisit, group, type Page, renderPage, type Visit } from './page.ts'

const shownAttempts = 50

/** `/portal/events`: endpoints, the attempts at one of them, what was sent and answered, and a check of signatures. */
export const eventsPage: Page = {
  path: '/portal/events',
  show: async (visit) => ({ body: await eventsOf(visit) }),
  act: async (visit) => {
    if (visit.form.get('action') === 'check') return checked(visit)
    const outcome = await actOn([group([...endpointActions, ...replayActions], { about: endpointOf })])(visit)
    return 'to' in outcome ? { ...outcome, to: `${visit.path}?${shownBy(visit)}` } : outcome
  },
}

/** The endpoint that a form names, if it is this partner's. */
function endpointOf({ ctx, form, user }: FormVisit): Promise<Endpoint> {
  const id = readId(form.get('endpoint') ?? '')
  if (id === undefined) throw new Refusal('BAD_REQUEST', 'This form names no endpoint.')
  return showEndpoint(ctx, { id, partnerId: user.partnerId })
}

const shownBy = ({ form }: FormVisit) => new URLSearchParams({ endpoint: form.get('endpoint') ?? '' })

async function checked(visit: FormVisit) {
  const { ctx, form } = visit
  const text = (name: string): string => (form.get(name) ?? '').slice(0, 100_000)
  const received = { id: text('id').trim(), timestamp: text('timestamp').trim(), signature: text('signature').trim() }
  const key = await endpointOf(visit)
  // Browsers send line ends of a text area as CR LF; our bodies have none.
  const isRight = await isSignedFor(ctx, key, { ...received, body: text('body').replaceAll('\r\n', '\n') })
  return { body: await eventsOf({ ...visit, query: shownBy(visit) }, isRight) }
}

async function eventsOf(visit: Visit, isRight?: boolean): Promise<string> {
  const { ctx, user, query } = visit
  const endpoints = await listEndpoints(ctx, user.partnerId)
  const wanted = readId(query.get('endpoint') ?? '') ?? endpoints[0]?.id
  const endpoint = wanted === undefined ? undefined : await showEndpoint(ctx, { id: wanted, partnerId: user.partnerId })
  const event = query.get('event')?.slice(0, 60) || undefined
  const list = endpoint && (await listAttempts(ctx, endpoint, { limit: shownAttempts, event }))
  const actions = await Promise.all(
    endpoints.map((one) => formsOf(visit, endpointActions, one, String(one.id), { isButton: true })),
  )
  return renderPage(
    visit,
    'Webhooks',
    <>
      {isRight === undefined ? null : (
        <Notice kind="plain">
          {isRight
            ? 'The signature is right for this endpoint, id, timestamp and body.'
            : 'The signature is wrong. Check that the body is the exact text that was received, and that the secret is the one of this endpoint.'}
        </Notice>
      )}
      <Table
        caption="Your endpoints"
        columns={['URL', 'Status', 'Events', 'Action']}
        empty="You have no endpoint. Add one with POST /v1/webhook-endpoints."
        rows={endpoints.map((one, at) => [
          <a
            class="wrap"
            href={`/portal/events?endpoint=${one.id}`}
            {...(one.id === endpoint?.id ? { 'aria-current': 'true' as const } : {})}
          >
            {one.url}
          </a>,
          <StatusLabel status={one.status} />,
          <span class="wrap">{one.types.join(', ')}</span>,
          actions[at],
        ])}
      />
      {endpoint && list ? (
        <>
          {await attemptsPart({ visit, endpoint, attempts: list.attempts, event })}
          <SignatureCheck visit={visit} endpoint={endpoint} />
        </>
      ) : null}
    </>,
  )
}

type AttemptsProps = { visit: Visit; endpoint: Endpoint; attempts: readonly SeenAttempt[]; event: string | undefined }

async function attemptsPart({ visit, endpoint, attempts, event }: AttemptsProps) {
  const [latest] = attempts
  const replay = ({ eventId }: SeenAttempt) =>
    formsOf(visit, replayActions, endpoint, String(endpoint.id), { isButton: true, preset: { event: eventId } })
  const again = await Promise.all(attempts.map(replay))
  return (
    <section aria-labelledby="attempts">
      <h2 id="attempts">{event === undefined ? 'Latest deliveries' : `Deliveries of ${event}`}</h2>
      <Table
        caption="Deliveries, the latest first"
        columns={['Event', 'Type', 'At', 'Attempt', 'Result', 'Took', 'Next', 'Again']}
        empty="Nothing has been sent to this endpoint."
        rows={attempts.map((one, at) => [
          <a href={`/portal/events?endpoint=${endpoint.id}&event=${one.eventId}`}>{one.eventId}</a>,
          one.type,
          <Moment at={one.at} />,
          String(one.number),
          one.status === null ? one.outcome : `${one.outcome} (${one.status})`,
          `${one.tookMs} ms`,
          one.nextAt === null ? '' : <Moment at={one.nextAt} />,
          again[at],
        ])}
      />
      {event !== undefined && latest ? (
        <>
          <h3>What was sent</h3>
          <pre class="code" tabIndex={0}>
            {latest.request.body}
          </pre>
          <h3>What your endpoint answered</h3>
          <pre class="code" tabIndex={0}>
            {latest.response ?? 'Nothing.'}
          </pre>
        </>
      ) : null}
    </section>
  )
}

const SignatureCheck = ({ visit, endpoint }: { visit: Visit; endpoint: Endpoint }) => (
  <section aria-labelledby="check">
    <h2 id="check">Check a signature</h2>
    <p class="hint">
      Paste what your server received. It is compared with the present secret of {endpoint.url}, and not kept.
    </p>
    <ActionForm visit={visit} action="check" name="Check" hidden={{ endpoint: String(endpoint.id) }}>
      {['id', 'timestamp', 'signature'].map((name) => (
        <div class="field" key={name}>
          <label for={`check-${name}`}>webhook-{name}</label>
          <input id={`check-${name}`} name={name} autocomplete="off" required />
        </div>
      ))}
      <div class="field">
        <label for="check-body">Body</label>
        <textarea id="check-body" name="body" rows={6} required />
      </div>
    </ActionForm>
  </section>
)

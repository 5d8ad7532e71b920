import { listAudit } from '../../exchange/audit/audit.ts'
import type { Ctx } from '../../exchange/context.ts'
import { operatorSubject } from '../../exchange/operators/operator.ts'
import { setPartner, switchFeature, switchPartner } from '../../exchange/partners/change.ts'
import { createPartner } from '../../exchange/partners/create.ts'
import { listPartners, showPartner } from '../../exchange/partners/find.ts'
import { listKeys } from '../../exchange/partners/keys.ts'
import type { Partner } from '../../exchange/partners/partner.ts'
import { invitePortalUser, listPortalUsers } from '../../exchange/partners/portal-users.ts'
import { textsOf } from '../../exchange/partners/setting-text.ts'
import { listEndpoints } from '../../exchange/webhooks/endpoint.ts'
import { addEndpoint } from '../../exchange/webhooks/manage-endpoints.ts'
import { readId } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { ActionField, ActionForm } from '../pages/form.tsx'
import { actOnKeys, KeyForms, KeyTable, SavedOnce } from '../pages/keys.tsx'
import { Facts, Moment, spaced, Table } from '../pages/table.tsx'
import { renderPage } from './layout.tsx'
import type { Page, Visit } from './page.ts'
import { Endpoints, Features, People, Policies, Switch } from './partner-parts.tsx'
import { changedTexts, PartnerSettingsForm } from './partner-settings.tsx'
import { whoIs } from './who.ts'

/** `/console/partners`: every partner account, and a form that makes one. */
export const partnersPage: Page = {
  path: '/console/partners',
  needs: 'partners.view',
  show: async (visit) => {
    const partners = await listPartners(visit.ctx)
    const page = (
      <>
        <Table
          caption="Partners"
          columns={['Partner', 'Id', 'State', 'Created']}
          empty="There is no partner yet."
          rows={partners.map((one) => [
            <a href={`/console/partners/${one.id}`}>{one.name}</a>,
            String(one.id),
            one.disabledAt === null ? 'active' : 'disabled',
            <Moment at={one.createdAt} />,
          ])}
        />
        {visit.may('partners.manage') ? (
          <section aria-labelledby="new">
            <h2 id="new">New partner</h2>
            <ActionForm visit={visit} action="create" name="Create the partner">
              <p class="hint">It gets a public and a secret key, and secrets for its calculator and webhooks.</p>
              <ActionField id="name" name="name" label="Name" hint="Customers read it in the checkout." required />
            </ActionForm>
          </section>
        ) : null}
      </>
    )
    return { body: renderPage(visit, 'Partners', page) }
  },
  act: async (visit) => {
    const { ctx, form } = visit
    mayManage(visit)
    if (form.get('action') !== 'create') throw new Refusal('BAD_REQUEST', 'There is no such action.')
    const { partner, ...secrets } = await createPartner(ctx, { name: form.get('name') ?? '' }, actorOf(visit))
    const page = (
      <>
        <SavedOnce secrets={Object.entries(secrets).map(([name, text]) => [spaced(name), text] as const)} />
        <p>
          <a href={`/console/partners/${partner.id}`}>Continue with its settings</a>
        </p>
      </>
    )
    return { body: renderPage(visit, partner.name, page) }
  },
}

/** `/console/partners/{id}`: one account: keys, webhook endpoints, settings, people and what changed. */
export const partnerPage: Page = {
  path: '/console/partners/:id',
  needs: 'partners.view',
  show: async (visit) => ({ body: await partnerOf(visit, await wanted(visit)) }),
  act: async (visit) => {
    mayManage(visit)
    const { ctx, form, path } = visit
    const partner = await wanted(visit)
    const actor = actorOf(visit)
    const text = (name: string): string => (form.get(name) ?? '').trim()
    switch (form.get('action') ?? '') {
      case 'settings': {
        const texts = changedTexts(partner, form)
        if (Object.keys(texts).length > 0) await setPartner(ctx, partner.id, texts, actor)
        return { to: path }
      }
      case 'feature':
        await switchFeature(ctx, partner.id, { feature: text('feature'), on: text('on') === 'on' }, actor)
        return { to: path }
      case 'disable':
      case 'enable':
        await switchPartner(ctx, partner.id, form.get('action') === 'disable', actor)
        return { to: path }
      case 'endpoint': {
        const { secret } = await addEndpoint(ctx, { partnerId: partner.id, url: text('url') }, actor)
        return { body: await partnerOf(visit, partner, [['Webhook secret', secret]]) }
      }
      case 'invite': {
        const invited = { partnerId: partner.id, email: text('email'), role: text('role') }
        const { url } = await invitePortalUser(ctx, invited, actor)
        // Without a mail server nobody else learns of it.
        return ctx.config.mail.smtpUrl === undefined
          ? { body: await partnerOf(visit, partner, [['Link of the invitation', url]]) }
          : { to: path }
      }
      default: {
        const made = await actOnKeys(ctx, form, partner.id, actor)
        return made === undefined ? { to: path } : { body: await partnerOf(visit, partner, [['Key', made]]) }
      }
    }
  },
}

async function wanted({ ctx, params }: { ctx: Ctx; params: Visit['params'] }): Promise<Partner> {
  const id = readId(params.id ?? '')
  if (id === undefined) throw new Refusal('NOT_FOUND', 'There is no such partner.')
  return showPartner(ctx, id)
}

function mayManage({ may }: Visit): void {
  if (!may('partners.manage')) throw new Refusal('FORBIDDEN', 'Your role does not include this action.')
}

const actorOf = ({ operator }: Visit): string => operatorSubject({ id: operator.operatorId })

async function partnerOf(
  visit: Visit,
  partner: Partner,
  secrets: readonly (readonly [string, string])[] = [],
): Promise<string> {
  const { ctx } = visit
  const { id } = partner
  const [keys, endpoints, people, changes, nameOf] = await Promise.all([
    listKeys(ctx, id),
    listEndpoints(ctx, id),
    listPortalUsers(ctx, id),
    listAudit(ctx.db, { partnerId: id, limit: 50 }),
    whoIs(ctx),
  ])
  const canManage = visit.may('partners.manage')
  const page = (
    <>
      {secrets.length > 0 ? <SavedOnce secrets={secrets} /> : null}
      <Facts
        facts={[
          ['Id', String(id)],
          ['State', partner.disabledAt === null ? 'active' : 'disabled: no key is valid'],
          ['Created', <Moment at={partner.createdAt} />],
          ['Orders', <a href={`/console/orders?partner=${id}`}>All orders of this partner</a>],
        ]}
      />
      <section aria-labelledby="keys">
        <h2 id="keys">API keys</h2>
        <KeyTable visit={visit} keys={keys} mayChange={canManage} />
        {canManage ? <KeyForms visit={visit} keys={keys} /> : null}
      </section>
      <Endpoints visit={visit} endpoints={endpoints} canManage={canManage} />
      <Policies visit={visit} partner={partner} />
      {canManage ? <PartnerSettingsForm visit={visit} texts={textsOf(partner)} /> : null}
      <Features visit={visit} partner={partner} canManage={canManage} />
      <People visit={visit} people={people} canManage={canManage} />
      {canManage ? <Switch visit={visit} partner={partner} /> : null}
      <section aria-labelledby="changes">
        <h2 id="changes">Changes</h2>
        <Table
          caption="Changes of this account"
          columns={['At', 'Who', 'What']}
          empty="Nothing was changed."
          rows={changes.map((one) => [<Moment at={one.at} />, nameOf(one.actor), one.action])}
        />
      </section>
    </>
  )
  return renderPage(visit, partner.name, page)
}

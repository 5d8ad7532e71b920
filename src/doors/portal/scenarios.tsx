import { Refusal } from '../../platform/lib/refusal.ts'
import { ActionForm } from '../pages/form.tsx'
import { Table } from '../pages/table.tsx'
import { type Page, renderPage } from './page.ts'

/** `/portal/scenarios`: each way in which an order can go, as a button. There is no such page where money is real. */
export const scenariosPage: Page = {
  path: '/portal/scenarios',
  show: (visit) => {
    const { scenarios } = visit
    if (!scenarios) return Promise.reject(new Refusal('NOT_FOUND', 'There are no test scenarios here.'))
    const page = (
      <>
        <p class="hint">
          Each button plays one whole order of your account, with all its webhooks, and opens it. This can take some
          seconds. Some scenarios move the sandbox clock forward for everyone.
        </p>
        <Table
          caption="Scenarios"
          columns={['Scenario', 'Name in the API', 'Play']}
          empty="There are no scenarios."
          rows={scenarios.list.map(({ name, title }) => [
            title,
            <code>{name}</code>,
            <ActionForm visit={visit} action="play" name="Play" about={title} hidden={{ name }} class="inline" />,
          ])}
        />
      </>
    )
    return Promise.resolve({ body: renderPage(visit, 'Test scenarios', page) })
  },
  act: async ({ ctx, scenarios, user, form }) => {
    if (!scenarios || form.get('action') !== 'play') throw new Refusal('BAD_REQUEST', 'There is no such action.')
    // A scenario is many blocks of the sandbox's own: the form is used up before they begin.
    await ctx.db.atomic(() => Promise.resolve())
    return { to: `/portal/orders/${await scenarios.play(user.partnerId, form.get('name') ?? '')}` }
  },
}

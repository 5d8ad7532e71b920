import { showPartner } from '../../exchange/partners/find.ts'
import { Facts } from '../pages/table.tsx'
import { type Page, renderPage } from './page.ts'

/** `/portal/docs`: the account's own values, and where the documentation is. */
export const docsPage: Page = {
  path: '/portal/docs',
  show: async (visit) => {
    const { ctx, user } = visit
    const { settings } = await showPartner(ctx, user.partnerId)
    const features = Object.entries(settings.features)
      .filter(([, isOn]) => isOn)
      .map(([name]) => name)
    const base = `${ctx.publicUrl}/v1`
    const page = (
      <>
        <Facts
          facts={[
            ['Address of the API', <code>{base}</code>],
            ['partner_id', <code>{String(user.partnerId)}</code>],
            ['Features of your account', features.join(', ') || 'none'],
          ]}
        />
        <section aria-labelledby="first">
          <h2 id="first">Your first call</h2>
          <pre
            class="code"
            tabIndex={0}
          >{`curl '${base}/estimate?from_currency=EUR&to_currency=BTC&from_amount=100'`}</pre>
          <p>
            <a href={`${ctx.publicUrl}/docs`}>The documentation of the API</a> has every call. Secret keys belong on
            servers; public keys may be in pages and apps. <a href="/portal/keys">Your keys</a>
          </p>
        </section>
        <section aria-labelledby="hooks">
          <h2 id="hooks">Add a webhook endpoint</h2>
          <pre
            class="code"
            tabIndex={0}
          >{`curl ${base}/webhook-endpoints -H 'x-api-key: YOUR_SECRET_KEY' -H 'content-type: application/json' \\
  -d '{"url": "https://shop.example/webhooks"}'`}</pre>
        </section>
      </>
    )
    return { body: renderPage(visit, 'Docs', page) }
  },
}

import { readPartnerSecrets } from '../../exchange/partners/secrets.ts'
import { signWidgetQuery } from '../../exchange/partners/widget-signature.ts'
import { needAdmin, type Page, renderPage } from './page.ts'

/** The options that the form offers, and what each is for; the calculator's page lists the others. */
const options = [
  { name: 'theme', label: 'Colors', values: ['', 'light', 'dark', 'auto'] },
  { name: 'type', label: 'Width', values: ['', 'narrow', 'wide'] },
  { name: 'default_side', label: 'First side', values: ['', 'buy_crypto', 'sell_crypto', 'swap_crypto'] },
  { name: 'default_fiat_currency', label: 'First money', values: undefined },
  { name: 'default_crypto_currency', label: 'First coin', values: undefined },
  { name: 'default_fiat_amount', label: 'First amount', values: undefined },
  { name: 'locale', label: 'Language', values: ['', 'en', 'de', 'es', 'fr', 'ar'] },
] as const

/** `/portal/calculator`: choose options, and copy the signed snippet. */
export const calculatorPage: Page = {
  path: '/portal/calculator',
  show: async (visit) => {
    needAdmin(visit)
    const { ctx, user, query } = visit
    const { widgetSecret } = await readPartnerSecrets(ctx, user.partnerId)
    const chosen = new URLSearchParams({ partner_id: String(user.partnerId) })
    for (const { name } of options) {
      const value = query.get(name)?.trim().slice(0, 100)
      if (value) chosen.set(name, value)
    }
    chosen.set('signature', signWidgetQuery(widgetSecret, user.partnerId, chosen.toString()))
    const url = `${ctx.publicUrl}/calculator/v2?${chosen.toString()}`
    const snippet = `<div data-cambio-calculator="${url.replaceAll('&', '&amp;')}"></div>\n<script src="${ctx.publicUrl}/calculator/embed.js" async></script>`
    const page = (
      <>
        <form class="filters" method="get">
          {options.map(({ name, label, values }) => (
            <div class="field" key={name}>
              <label for={name}>{label}</label>
              {values ? (
                <select id={name} name={name}>
                  {values.map((one) => (
                    <option key={one} value={one} selected={one === (query.get(name) ?? '')}>
                      {one === '' ? 'default' : one.replaceAll('_', ' ')}
                    </option>
                  ))}
                </select>
              ) : (
                <input id={name} name={name} value={query.get(name) ?? ''} />
              )}
            </div>
          ))}
          <button type="submit" class="button">
            Update
          </button>
        </form>
        <section aria-labelledby="snippet">
          <h2 id="snippet">Paste this into your page</h2>
          <pre class="code" tabIndex={0}>
            {snippet}
          </pre>
          <p>
            <a href={url}>Open the calculator</a>
          </p>
          <p class="hint">
            The address is signed: its options cannot be changed. Your operator has to allow the origins of the pages
            that show it (frame_origins).
          </p>
        </section>
      </>
    )
    return { body: renderPage(visit, 'Calculator', page) }
  },
}

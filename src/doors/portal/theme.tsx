import { setPartner } from '../../exchange/partners/change.ts'
import { showPartner } from '../../exchange/partners/find.ts'
import { portalSubject } from '../../exchange/partners/portal-users.ts'
import { readTheme, type Theme } from '../../exchange/partners/theme.ts'
import { pageHeaders } from '../pages/area.ts'
import { ActionField } from '../pages/form.tsx'
import { sheetOf } from '../ui/serve-file.ts'
import { themeSheet } from '../ui/theme.ts'
import { needAdmin, type Page, renderPage, type Visit } from './page.ts'

/** `/portal/theme`: how the partner's pages look. The page itself has the colors and corners that are tried. */
export const themePage: Page = {
  path: '/portal/theme',
  show: async (visit) => {
    needAdmin(visit)
    const { settings, name } = await showPartner(visit.ctx, visit.user.partnerId)
    return themed(visit, settings.theme, { partnerName: name })
  },
  act: async (visit) => {
    needAdmin(visit)
    const { ctx, form, user, path } = visit
    const { name: partnerName } = await showPartner(ctx, user.partnerId)
    const text = themeText(form)
    const theme = readTheme(text)
    switch (form.get('action') ?? '') {
      case 'save':
        await setPartner(ctx, user.partnerId, { theme: text }, portalSubject(user.id))
        return { to: path }
      case 'preview':
        return themed(visit, theme, { partnerName, notice: 'This is how it would look. Nothing is saved yet.' })
      default:
        return { to: path }
    }
  },
}

/** A form's theme as the setting takes it. What is empty is left out. */
function themeText(form: URLSearchParams): string {
  const typed = ['name', 'accent', 'corner', 'logo'].flatMap((name) => {
    const text = (form.get(name) ?? '').trim()
    if (text === '') return []
    return [[name, name === 'corner' && /^\d{1,3}$/.test(text) ? Number.parseInt(text, 10) : text] as const]
  })
  return JSON.stringify(Object.fromEntries(typed))
}

type Around = { partnerName: string; notice?: string }

function themed(visit: Visit, theme: Theme, { partnerName, notice }: Around) {
  const sheet = sheetOf(`${visit.assets.sheet.text}\n${themeSheet(theme)}`)
  const assets = { ...visit.assets, sheet }
  const page = (
    <>
      {notice === undefined ? null : (
        <p class="notice" role="status">
          {notice}
        </p>
      )}
      <div class="pair">
        <section aria-labelledby="change">
          <h2 id="change">Change it</h2>
          <form method="post" action={visit.path} class="action">
            <input type="hidden" name="csrf" value={visit.csrf} />
            <ActionField
              id="name"
              name="name"
              label="Name on the pages"
              hint="Empty: the account’s name."
              value={theme.name ?? ''}
            />
            <ActionField
              id="accent"
              name="accent"
              label="Color"
              hint="As in #0a7cff. Empty: ours."
              value={theme.accent ?? ''}
            />
            <ActionField
              id="corner"
              name="corner"
              label="Corners in pixels"
              hint="0 to 24."
              value={String(theme.corner ?? '')}
            />
            <div class="field">
              <label for="logo">Logo</label>
              <p class="hint" id="logo-hint">
                A data URI of a PNG, JPEG or WebP of at most 48 kB.
              </p>
              <textarea id="logo" name="logo" rows={3} spellcheck={false} aria-describedby="logo-hint">
                {theme.logo ?? ''}
              </textarea>
            </div>
            <button type="submit" name="action" value="preview" class="button second">
              Preview
            </button>
            <button type="submit" name="action" value="save" class="button">
              Save
            </button>
          </form>
        </section>
        <Sample theme={theme} name={theme.name ?? partnerName} />
      </div>
    </>
  )
  return { body: renderPage({ ...visit, assets }, 'Theme', page), headers: pageHeaders(assets) }
}

/** What pages consist of, in the theme's colors and corners. */
const Sample = ({ theme, name }: { theme: Theme; name: string }) => (
  <section aria-labelledby="sample">
    <h2 id="sample">How customers see it</h2>
    <div class="sample">
      <p class="headline">
        {theme.logo === undefined ? null : <img src={theme.logo} alt="" height={32} />} {name}
      </p>
      <p>
        Pay <strong>100.00 EUR</strong> for about <strong>0.0011 BTC</strong>. <a href="#sample">Total cost</a>
      </p>
      <p class="notice">Prices hold for 15 minutes.</p>
      <span class="button">Continue to payment</span>
    </div>
    <p class="hint">
      Your device decides between the light and the dark colors. In both, a shade of your color is chosen that can be
      read.
    </p>
  </section>
)

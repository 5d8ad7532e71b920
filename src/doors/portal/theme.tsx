import { themeActions, themeTyped } from '../../exchange/actions/partners.ts'
import { readTheme, type Theme } from '../../exchange/partners/theme.ts'
import { actOn, formsOf } from '../pages/actions.tsx'
import { pageHeaders } from '../pages/serve-area.ts'
import { sheetOf } from '../ui/serve-file.ts'
import { themeSheet } from '../ui/theme.ts'
import { group, needAdmin, ownPartner, type Page, renderPage, type Visit } from './page.ts'

/** `/portal/theme`: how the partner's pages look. The page itself has the colors and corners that are tried. */
export const themePage: Page = {
  path: '/portal/theme',
  show: async (visit) => {
    needAdmin(visit)
    return themed(visit)
  },
  act: actOn([
    group(themeActions, {
      about: ownPartner,
      tried: ({ form, ...visit }, _partner, given) => {
        const tried = { form, field: '', message: '' }
        const said = 'This is how it would look. Nothing is saved yet.'
        return themed({ ...visit, refused: tried, said }, readTheme(themeTyped(given)))
      },
    }),
  ]),
}

async function themed(visit: Visit, tried?: Theme) {
  const partner = await ownPartner(visit)
  const theme = tried ?? partner.settings.theme
  const sheet = sheetOf(`${visit.assets.sheet.text}\n${themeSheet(theme)}`)
  const assets = { ...visit.assets, sheet }
  const page = (
    <div class="pair">
      <section aria-labelledby="change">
        <h2 id="change">Change it</h2>
        {await formsOf(visit, themeActions, partner, undefined, { tries: 'may' })}
      </section>
      <Sample theme={theme} name={theme.name ?? partner.name} />
    </div>
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

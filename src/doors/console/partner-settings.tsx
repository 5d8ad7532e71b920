import type { Partner } from '../../exchange/partners/partner.ts'
import { textsOf } from '../../exchange/partners/setting-text.ts'
import { ActionForm } from '../pages/form.tsx'
import type { Visit } from './page.ts'

/** A setting as a form shows it, by the name that `partner set` takes. `empty` is what an empty field means. */
type Setting = {
  name: string
  label: string
  hint?: string
  options?: readonly string[]
  isLong?: true
  empty?: 'none' | 'default'
  /** Of a setting that is a JSON object: its members, each a field. What is not named here stays. */
  parts?: readonly (readonly [path: string, label: string])[]
}

const onOff = ['on', 'off'] as const

const groups: readonly (readonly [title: string, settings: readonly Setting[]])[] = [
  [
    'Names',
    [
      { name: 'name', label: 'Name' },
      { name: 'contact_email', label: 'Contact e-mail address', empty: 'none' },
      { name: 'sender_name', label: 'Sender of customers’ e-mails', empty: 'none' },
    ],
  ],
  [
    'Terms',
    [
      { name: 'fees', label: 'Commission', parts: [['commission_percent', 'Commission in percent']] },
      { name: 'slippage_percent', label: 'Slippage in percent', empty: 'default' },
      { name: 'underpayment_percent', label: 'Underpayment in percent' },
      { name: 'b2b_approval', label: 'We approve B2B addresses', options: onOff },
    ],
  ],
  [
    'Limits of one exchange, in EUR',
    [
      {
        name: 'limits',
        label: 'Limits',
        parts: ['', 'buy', 'sell', 'swap', 'b2b'].flatMap((side) => [
          [side === '' ? 'min' : `${side}.min`, `Least${side === '' ? '' : ` for ${side}`}`] as const,
          [side === '' ? 'max' : `${side}.max`, `Most${side === '' ? '' : ` for ${side}`}`] as const,
        ]),
      },
    ],
  ],
  [
    'Theme',
    [
      {
        name: 'theme',
        label: 'Theme',
        parts: [
          ['name', 'Name on the pages'],
          ['accent', 'Color, as in #0a7cff'],
          ['corner', 'Corners in pixels'],
          ['logo', 'Logo as a data URI'],
        ],
      },
    ],
  ],
  [
    'Signatures and pages',
    [
      { name: 'signing', label: 'Signed requests', options: ['off', 'create', 'all'] },
      { name: 'signing_key', label: 'Public key (PEM)', isLong: true },
      { name: 'calculator_v1', label: 'Calculator by public key', options: onOff },
      { name: 'unsigned_presets', label: 'Unsigned presets', options: onOff },
      { name: 'redirect_origins', label: 'Customers may be sent to', empty: 'none' },
      { name: 'frame_origins', label: 'Pages that may frame the calculator', empty: 'none' },
    ],
  ],
  [
    'Rates',
    [
      { name: 'key_per_second', label: 'Requests a second', empty: 'default' },
      { name: 'key_burst', label: 'Requests at once', empty: 'default' },
      { name: 'creates_per_second', label: 'Creates a second', empty: 'default' },
      { name: 'creates_burst', label: 'Creates at once', empty: 'default' },
      { name: 'customer_ip_per_second', label: 'Creates a second from one address', empty: 'default' },
      { name: 'customer_ip_burst', label: 'Creates at once from one address', empty: 'default' },
    ],
  ],
]

type Members = { [name: string]: unknown }

/** What a form changes of a partner account, as `setPartner` takes it: settings by name, and members of JSON settings by path. */
export function changedTexts(partner: Partner, form: URLSearchParams): Record<string, string> {
  const before = textsOf(partner)
  const given = groups
    .flatMap(([, settings]) => settings)
    .flatMap(({ name, empty, parts }) => {
      const typed = form.get(name)?.trim()
      const text = typed === '' && empty !== undefined ? empty : (typed ?? joined(before[name], name, parts, form))
      return text === undefined || text === before[name]?.trim() ? [] : [[name, text] as const]
    })
  return Object.fromEntries(given)
}

/** A JSON setting with the members that a form has: an empty one is removed. */
function joined(
  text: string | undefined,
  name: string,
  parts: Setting['parts'],
  form: URLSearchParams,
): string | undefined {
  if (!parts || text === undefined) return undefined
  const members = JSON.parse(text) as Members
  for (const [path] of parts) {
    const typed = form.get(`${name}.${path}`)?.trim()
    const before = memberOf(members, path)
    if (typed === undefined || typed === textOf(before)) continue
    const [last = '', holder] = path.split('.').toReversed()
    const of = holder === undefined ? members : ((members[holder] ??= {}) as Members)
    if (typed === '') delete of[last]
    else of[last] = path === 'corner' && /^\d+$/.test(typed) ? Number.parseInt(typed, 10) : typed
  }
  return JSON.stringify(members)
}

const memberOf = (members: Members, path: string): unknown =>
  path.split('.').reduce<unknown>((of, name) => (of as Members | null | undefined)?.[name], members)

const textOf = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')

/** Every setting of a partner account. */
export const PartnerSettingsForm = ({ visit, texts }: { visit: Visit; texts: Readonly<Record<string, string>> }) => (
  <section aria-labelledby="settings">
    <h2 id="settings">Settings</h2>
    <ActionForm visit={visit} action="settings" name="Save the settings" class="policy">
      {groups.map(([title, settings]) => (
        <fieldset key={title}>
          <legend>{title}</legend>
          {settings.flatMap((setting) => fieldsOf(setting, texts[setting.name] ?? ''))}
        </fieldset>
      ))}
    </ActionForm>
  </section>
)

/** One field, or one for each member. */
function fieldsOf(setting: Setting, text: string) {
  const { name, parts } = setting
  if (!parts) return [<SettingField key={name} setting={setting} text={text} />]
  const members = JSON.parse(text) as Members
  return parts.map(([path, label]) => (
    <SettingField key={path} setting={{ name: `${name}.${path}`, label }} text={textOf(memberOf(members, path))} />
  ))
}

function SettingField({ setting: { name, label, options, isLong, empty }, text }: { setting: Setting; text: string }) {
  const id = `setting-${name}`
  return (
    <div class={isLong ? 'field wide' : 'field'}>
      <label for={id}>{label}</label>
      {options ? (
        <select id={id} name={name}>
          {options.map((one) => (
            <option key={one} value={one} selected={one === text}>
              {one}
            </option>
          ))}
        </select>
      ) : isLong ? (
        <textarea id={id} name={name} rows={3} spellcheck={false}>
          {text}
        </textarea>
      ) : (
        <input
          id={id}
          name={name}
          type="text"
          autocomplete="off"
          value={text === empty ? '' : text}
          placeholder={empty === 'default' ? 'as everywhere' : ''}
        />
      )}
    </div>
  )
}

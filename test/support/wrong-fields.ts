/** What is refused in a field, with what else is typed for it; or why nothing that is typed there is refused. */
export type WrongField =
  | string
  | readonly string[]
  | { value: string; also: Readonly<Record<string, string>> }
  | { never: string }

export const isNever = (wrong: WrongField): wrong is { never: string } => typeof wrong === 'object' && 'never' in wrong

const never = (why: string): WrongField => ({ never: why })
const long = (characters: number): string => 'x'.repeat(characters)

const order = '/console/orders/:id'
const money = '/console/money'
const partner = '/console/partners/:id'
const policy = '/console/prices/:kind'
const account = '/console/account'

const cut = never('Any name will do: what is too long is cut.')
const optional = never('A reason may be given here.')
const answered = never('The answer says whether the signature is right.')

const key = { label: long(101), allow_ips: 'anywhere', expires: ['tomorrow', '2000-01-01'] }
const endpoint = { url: 'nowhere', types: 'everything', rate: ['many', '99999'] }
const booking = { account: 'nowhere', asset: 'COWS', amount: ['0', 'all'] }
const theme = { name: long(61), accent: 'blue', corner: '99', logo: 'a tree' }
const overlap = { overlap: ['a day', 'P99D'] }
const present = { present: 'not my password' }
const password = { ...present, next: 'short' }
const code = { code: '000000' }
const limits = ['', 'buy.', 'sell.', 'swap.', 'b2b.'].flatMap((side) => [`limits.${side}min`, `limits.${side}max`])
const rates = ['key', 'creates', 'customer_ip'].flatMap((of) => [`${of}_per_second`, `${of}_burst`])
const elsewhere = { refund_address: 'DE89370400440532013000', holder: 'Erika Mustermann' }

/** What is wrong in each text field of the forms of console and portal; in a field `reason` that is not here, nothing. */
export const wrongFields: Readonly<Record<string, Readonly<Record<string, WrongField>>>> = {
  [`${order} note`]: { text: ['', long(4_001)] },
  [`${order} release`]: { pay_to: ['theirs', '7'] },
  [`${order} refund`]: { amount: ['some', '0', '1000000'] },
  [`${order} redirect`]: {
    refund_address: 'DE00',
    extra_id: { value: 'no BIC', also: elsewhere },
    holder: { value: '', also: elsewhere },
  },
  [`${money} match`]: { transaction: ['theirs', '7'] },
  [`${money} return`]: {
    refund_address: 'DE00',
    extra_id: never(
      'It is judged once the money could not go back the way it came, as of a refund that is redirected.',
    ),
    holder: never('As the BIC.'),
  },
  [`${money} book`]: { from: 'nowhere', settled: ['5', 'all'] },
  [`${money} add-rule`]: {
    party: 'me',
    most: ['0', 'all'],
    asset: 'COWS',
    text: { value: '', also: { direction: 'in' } },
  },
  [`${money} open-balance`]: { ...booking, bank_account: 'nowhere' },
  [`${money} book-charge`]: booking,
  [`${money} skip`]: { numbers: ['all', '99999'], rail: 'nowhere', account: 'nowhere' },
  [`${money} ignore`]: { account: 'nowhere', rail: 'nowhere' },
  [`${money} include`]: { account: 'nowhere', rail: 'nowhere' },
  [`${money} reconcile`]: { date: 'today' },
  [`${money} propose-transfers`]: {
    from: ['', 'nowhere'],
    to: ['', 'nowhere'],
    asset: ['', 'COWS'],
    amount: ['', '0', 'all', '1000000'],
  },
  [`${money} transfer-sent`]: { proof: '', fee: 'a lot', fee_asset: { value: 'COWS', also: { fee: '1' } } },
  [`${money} transfer-arrived`]: { proof: '' },
  [`${money} close`]: { day: ['today', '2999-01-01'] },
  '/console/prices halt': { pair: 'BTC/COWS' },
  [`${policy} try-propose`]: { effective_at: '2000-01-01T00:00', reason: never('A preview needs none.') },
  '/console/system halt': { name: { value: 'nowhere', also: { scope: 'rail' } } },
  '/console/customers bounce': { address: '' },
  '/console/customers clear': { address: ['', 'works@example.com'] },
  '/console/partners create': { name: long(201) },
  [`${partner} create`]: key,
  [`${partner} restrict`]: key,
  [`${partner} endpoint`]: endpoint,
  [`${partner} set`]: endpoint,
  [`${partner} replay`]: { event: { value: 'evt_1', also: { since: '' } }, since: ['lately', '2999-01-01'] },
  [`${partner} rotate`]: overlap,
  [`${partner} rotate-widget`]: { overlap: 'a day' },
  [`${partner} reject`]: { reason: optional },
  [`${partner} disable-address`]: { reason: optional },
  [`${partner} settings`]: {
    ...Object.fromEntries([...limits, ...rates].map((name) => [name, 'many'])),
    name: long(201),
    contact_email: 'nobody',
    sender_name: '<Walkers>',
    'fees.commission_percent': 'half',
    slippage_percent: 'half',
    underpayment_percent: 'half',
    redirect_origins: 'anywhere',
    frame_origins: 'anywhere',
    signing_key: 'a key',
  },
  [`${partner} theme`]: theme,
  [`${partner} invite`]: { email: ['nobody', 'member@one.example'], name: cut },
  [`${partner} disable`]: { reason: optional },
  [`${partner} enable`]: { reason: optional },
  '/portal/keys create': key,
  '/portal/keys restrict': key,
  '/portal/events check': { id: answered, timestamp: answered, signature: answered, body: answered },
  '/portal/theme try-theme': theme,
  '/portal/theme theme': theme,
  '/portal/team invite': { email: ['nobody', 'member@one.example'], name: cut },
  '/portal/account add': { ...present, name: cut },
  '/portal/account end-passkey': present,
  '/portal/account password': password,
  '/console/team invite': { email: ['nobody', 'goer@example.com'], name: cut },
  '/console/passkeys add': { ...present, name: cut },
  '/console/passkeys end': present,
  [`${account} need-mail`]: { time_zone: 'Mars/Olympus' },
  [`${account} password`]: password,
  [`${account} confirm`]: { ...present, ...code },
  [`${account} renew-codes`]: code,
  [`${account} remove-factor`]: code,
}

/** What is wrong in a field of a form; undefined: nobody has said. The values of a policy are judged together. */
export function wrongIn(form: string, field: string): WrongField | undefined {
  if (field.startsWith('document.')) return never('The preview lists what is wrong in a document, by its path.')
  return wrongFields[form]?.[field] ?? (field === 'reason' ? ' ' : undefined)
}

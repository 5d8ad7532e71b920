/** Every text that a create reads of its body, by path, but for memos. */
export const createTexts = `
  from_currency from_network to_currency to_network deposit.payment_category payout_info.payout_address payout_info.full_name payout_address
  customer.ip customer.ipV4 customer.ipV6 customer.contact_info.email customer.contact_info.phone_number
  redirects.successful redirects.cancelled redirects.failed external_partner_link_id locale
  customer.billing_info.country_alpha_2 customer.billing_info.us_region_alpha_2 customer.billing_info.region
  customer.billing_info.city customer.billing_info.street_address customer.billing_info.apt_number
  customer.billing_info.post_index customer.billing_info.first_name customer.billing_info.last_name
  customer.billing_info.date_of_birthday customer.billing_info.gender`
  .trim()
  .split(/\s+/)

/** A create that is taken. */
export const goodCreate = { from_amount: 100, from_currency: 'EUR', to_currency: 'ETH' }

export function bodyWith(path: string, text: string): object {
  const [name = '', ...rest] = path.split('.').toReversed()
  const isUrl = path.startsWith('redirects.')
  const leaf: object = { [name]: isUrl ? `https://shop.example/done?n=${text}` : text }
  return { ...goodCreate, ...rest.reduce((inner, outer) => ({ [outer]: inner }), leaf) }
}

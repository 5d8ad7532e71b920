import type { Notices, PayButton } from '../doors/checkout/notices.ts'

/** What pages of the checkout say in a sandbox. */
export const sandboxNotices: Notices = {
  footer: ({ say }) => say('layout.sandbox'),
  mailbox: { href: '/sandbox/mail', text: ({ say }) => say('code.mailbox') },
  coinPayout: ({ say }) => say('done.sandbox'),
  bankPayout: ({ say }) => say('done.sandboxBank'),
}

/** The button that plays a payment by hand: there is no bank's app and no wallet here. */
export const payButtonFor = (tid: string, locale: string): PayButton => ({
  action: `/sandbox/pay?tid=${tid}&locale=${locale}`,
  hint: ({ say }) => say('pay.sandbox'),
  label: ({ say }) => say('pay.play'),
})

/** A form that is not drawn from an action: the file of `src/doors` that draws it, and why. */
type ByHand = readonly [file: string, why: string]

const own = {
  password: 'One’s own sign-in: who is signed in proves it with what only that person has.',
  session: 'One’s own sign-in: it ends browsers of that person alone.',
  factor: 'One’s own second factor.',
  passkey: 'One’s own passkey, which a browser makes for one session and one page.',
}

/**
 * The forms of the console and the portal that are not drawn from actions. A new one fails `test/actions-page.test.ts` until it has its
 * reason here, which the documentation of operators prints.
 */
export const byHand: Readonly<Record<string, ByHand>> = {
  '/console/account password': ['pages/own-access.tsx', own.password],
  '/console/account end': ['pages/own-access.tsx', own.session],
  '/console/account end-all': ['pages/own-access.tsx', own.session],
  '/console/account confirm': ['console/account.tsx', own.factor],
  '/console/account renew-codes': ['console/account.tsx', own.factor],
  '/console/account remove-factor': ['console/account.tsx', own.factor],
  '/console/account need-mail': ['console/need-mail.tsx', 'It chooses which e-mails reach oneself.'],
  '/console/passkeys add': ['pages/own-access.tsx', own.passkey],
  '/console/passkeys end': ['console/passkeys.tsx', own.passkey],
  '/portal/account password': ['pages/own-access.tsx', own.password],
  '/portal/account end': ['pages/own-access.tsx', own.session],
  '/portal/account end-all': ['pages/own-access.tsx', own.session],
  '/portal/account add': ['pages/own-access.tsx', own.passkey],
  '/portal/account end-passkey': ['portal/account.tsx', own.passkey],
  '/portal/events check': [
    'portal/events.tsx',
    'It acts on nothing: it says whether a signature fits what was pasted.',
  ],
  '/portal/scenarios play': [
    'portal/scenarios.tsx',
    'It acts in a sandbox alone, as a program of the partner does through the API; where money is real there is no such page.',
  ],
}

import { optional, setting, url } from '../../platform/lib/setting.ts'

/** Reads the version of a legal text, which pages print. */
function version(text: string): string {
  if (!/^[\w.-]{1,40}$/.test(text)) throw new RangeError(`"${text}" is not a version such as 2026-11-20`)
  return text
}

/** The texts that customers accept before they pay. */
export const legalSettings = {
  termsUrl: optional(
    'TERMS_URL',
    'https://exchange.example.com/terms-of-use',
    url('http', 'https'),
    'The page with your terms of use; by default a plain page of the sandbox. Required in live mode.',
  ),
  termsVersion: setting(
    'TERMS_VERSION',
    '1',
    version,
    'The version of your terms. When it changes, customers of open orders must accept them again.',
  ),
  privacyUrl: optional(
    'PRIVACY_URL',
    'https://exchange.example.com/privacy',
    url('http', 'https'),
    'The page with your privacy notice; by default a plain page of the sandbox. Required in live mode.',
  ),
  privacyVersion: setting('PRIVACY_VERSION', '1', version, 'The version of your privacy notice.'),
}

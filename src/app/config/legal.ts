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
    'The page of your terms of use; a plain page of the sandbox when absent. Live mode needs one.',
  ),
  termsVersion: setting(
    'TERMS_VERSION',
    '1',
    version,
    'Their version: when it changes, open orders accept them again.',
  ),
  privacyUrl: optional(
    'PRIVACY_URL',
    'https://exchange.example.com/privacy',
    url('http', 'https'),
    'The page of your privacy notice; a plain page of the sandbox when absent. Live mode needs one.',
  ),
  privacyVersion: setting('PRIVACY_VERSION', '1', version, 'Its version, likewise.'),
}

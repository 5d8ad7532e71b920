import type { Assets } from './assets.ts'

/** What a passkey is asked for: to be made, or to sign. */
export type PasskeyRequest = { challenge: string } & Readonly<Record<string, unknown>>

/** The field of a form that a passkey signs before the form is sent. `challenge` is the hash of what is signed, in base64url. */
export const PasskeyField = ({ assets, asked }: { assets: Assets; asked: PasskeyRequest }) => (
  <>
    <input type="hidden" name="passkey" value="" data-passkey={JSON.stringify(asked)} />
    <p class="notice bad" role="alert" data-passkey-problem hidden>
      No passkey was used. Try again, or use another browser or device that has it.
    </p>
    <noscript>
      <p class="hint">Passkeys need JavaScript.</p>
    </noscript>
    <script type="module" src={assets.passkey}></script>
  </>
)

/** Asks for a signature of a hash by one of some keys. */
export const signing = (hash: Buffer, credentials: readonly Buffer[]): PasskeyRequest => ({
  challenge: hash.toString('base64url'),
  allowCredentials: credentials.map((credential) => ({ type: 'public-key', id: credential.toString('base64url') })),
})

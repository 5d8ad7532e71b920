/**
 * Has a passkey sign what a form is about, before the form is sent: the field names what, and takes the browser's answer. Without this
 * script, or without a passkey, nothing is sent.
 */

const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (byte) => byte.charCodeAt(0))

const textOf = (bytes: ArrayBuffer): string =>
  btoa(Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

type Descriptor = { type: 'public-key'; id: string }
type Options = {
  challenge: string
  user?: { id: string; name: string; displayName: string }
  excludeCredentials?: Descriptor[]
  allowCredentials?: Descriptor[]
}

const listed = (all: Descriptor[] = []) => all.map((one) => ({ ...one, id: bytesOf(one.id) }))

async function ask(options: Options): Promise<string> {
  const { user, excludeCredentials, allowCredentials, ...rest } = options
  const challenge = bytesOf(options.challenge)
  const publicKey = user
    ? { ...rest, challenge, user: { ...user, id: bytesOf(user.id) }, excludeCredentials: listed(excludeCredentials) }
    : { ...rest, challenge, allowCredentials: listed(allowCredentials), userVerification: 'required' as const }
  const credential = (await (user
    ? navigator.credentials.create({ publicKey: publicKey as unknown as PublicKeyCredentialCreationOptions })
    : navigator.credentials.get({ publicKey }))) as PublicKeyCredential
  const answer: Record<string, string> = { id: credential.id }
  const response = credential.response as unknown as Record<string, unknown>
  for (const name of ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature']) {
    const part = response[name]
    if (part instanceof ArrayBuffer) answer[name] = textOf(part)
  }
  return JSON.stringify(answer)
}

document.addEventListener('submit', (event) => {
  const form = event.target as HTMLFormElement
  const field = form.querySelector<HTMLInputElement>('input[data-passkey]')
  if (field?.value !== '') return
  event.preventDefault()
  const problem = form.querySelector<HTMLElement>('[data-passkey-problem]')
  problem?.setAttribute('hidden', '')
  sign(form, field).catch(() => problem?.removeAttribute('hidden')) // browsers do not say whether it was canceled
})

async function sign(form: HTMLFormElement, field: HTMLInputElement): Promise<void> {
  field.value = await ask(JSON.parse(field.dataset.passkey ?? '{}') as Options)
  form.submit()
}

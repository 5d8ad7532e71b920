/** Scans a QR code with the camera. Loaded when first used. */

type Detector = { detect(source: HTMLVideoElement): Promise<{ rawValue: string }[]> }
declare const BarcodeDetector: new (options: { formats: string[] }) => Detector

const betweenMs = 150

/** Shows the camera's picture until a code is read. Returns its text, or an empty text if stopped. Rejects without a camera. */
export async function scan({ lead, stop }: { lead: string; stop: string }): Promise<string> {
  const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } })
  const video = Object.assign(document.createElement('video'), { muted: true, playsInline: true, autoplay: true })
  const dialog = Object.assign(document.createElement('dialog'), { className: 'scanner' })
  const hint = Object.assign(document.createElement('p'), { textContent: lead, id: 'scan-lead' })
  const button = Object.assign(document.createElement('button'), { type: 'button', className: 'button second' })
  button.textContent = stop
  button.addEventListener('click', () => dialog.close())
  dialog.setAttribute('aria-labelledby', hint.id)
  dialog.append(hint, video, button)
  document.body.append(dialog)
  dialog.showModal()
  video.srcObject = stream
  try {
    return await read(video, dialog)
  } finally {
    for (const track of stream.getTracks()) track.stop()
    dialog.remove()
  }
}

async function read(video: HTMLVideoElement, dialog: HTMLDialogElement): Promise<string> {
  const detector = new BarcodeDetector({ formats: ['qr_code'] })
  while (dialog.open) {
    const [code] = video.readyState >= video.HAVE_CURRENT_DATA ? await detector.detect(video) : []
    if (code && code.rawValue !== '') return code.rawValue
    await new Promise((resolve) => setTimeout(resolve, betweenMs))
  }
  return ''
}

/** Shows a part of a page again every few seconds, while somebody looks at it. The server does not take that for a use of the session. */

const everyMs = 5_000
const part = document.querySelector<HTMLElement>('[data-renewed]')
let shown: string | undefined
let timer: ReturnType<typeof setTimeout> | undefined

async function renew(): Promise<void> {
  clearTimeout(timer)
  if (!part || document.visibilityState !== 'visible') return
  try {
    const answer = await fetch(location.href, { headers: { 'x-renewal': '1' } })
    // The session is over: the page leads to where it begins again.
    if (answer.redirected) location.reload()
    else if (answer.ok) show(part, await answer.text())
  } catch {
    // Without a connection the page stays as it is.
  }
  timer = setTimeout(() => void renew(), everyMs)
}

/** Replaces what is shown if it has changed. Who is at one of its links stays there. */
function show(place: HTMLElement, html: string): void {
  if (html === shown) return
  shown = html
  const focused = document.activeElement
  const href = focused && place.contains(focused) ? focused.getAttribute('href') : null
  place.replaceChildren(...new DOMParser().parseFromString(html, 'text/html').body.childNodes)
  if (href !== null) place.querySelector<HTMLElement>(`a[href="${CSS.escape(href)}"]`)?.focus()
}

document.addEventListener('visibilitychange', () => void renew())
timer = setTimeout(() => void renew(), everyMs)

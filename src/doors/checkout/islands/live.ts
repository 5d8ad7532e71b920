/** Follows the order's status and the price's expiry, and replaces the page in place. */

const askEveryMs = 1_500
const slowestMs = 20_000
/** With a stream open, polling is only for what isn't a change of the order: a moving price. */
const streamingMs = 10_000
/** A settled page polls less and less, has no stream, and stops until it is looked at again. */
const settledMs = { least: 5_000, most: 60_000, rests: 3_600_000 } as const
let seenAt = 0
let wait = askEveryMs
let line: EventSource | undefined
let isHeard = false
let isLooking = false
/** A change arrived during a request, whose answer may be outdated. */
let isOlder = false
let timer: ReturnType<typeof setTimeout> | undefined

/** The element with what to watch; pages without an order have none. */
const watched = (): HTMLElement | null => document.querySelector('main[data-watch]')

async function look(): Promise<void> {
  const main = watched()
  isOlder = isLooking
  if (isLooking) return
  clearTimeout(timer)
  if (!main?.dataset.watch) {
    hangUp()
    return
  }
  if (main.dataset.settled === undefined) listen(main.dataset.watch)
  else hangUp()
  if (document.visibilityState === 'visible') {
    isLooking = true
    try {
      const answer = await fetch(main.dataset.watch, { headers: { accept: 'application/json' } })
      const { version, now } = (await answer.json()) as { version?: string; now?: number }
      hear(now)
      if (version !== undefined && version !== main.dataset.version) await refresh(main)
      wait = pause()
    } catch {
      wait = Math.min(wait * 2, slowestMs) // the connection is down: ask less often, and continue when it is back
    } finally {
      isLooking = false
    }
  }
  if (isOlder || wait < settledMs.rests) timer = setTimeout(() => void look(), isOlder ? 0 : wait)
}

/** How long until the next poll: on a settled page, a tenth of the time it has been visible. */
function pause(): number {
  if (watched()?.dataset.settled === undefined) return isHeard ? streamingMs : askEveryMs
  const seenMs = performance.now() - seenAt
  return seenMs > settledMs.rests ? settledMs.rests : Math.min(Math.max(seenMs / 10, settledMs.least), settledMs.most)
}

function hangUp(): void {
  line?.close()
  line = undefined
  isHeard = false
}

/** The server announces changes. Without a stream, the page polls as before. */
function listen(watch: string): void {
  if (line || typeof EventSource === 'undefined') return
  line = new EventSource(watch.replace('/checkout/status', '/checkout/events'))
  line.addEventListener('open', () => void (isHeard = true))
  line.addEventListener('changed', () => void look())
  line.addEventListener('error', () => {
    isHeard = false
    wait = askEveryMs
    if (line?.readyState === EventSource.CLOSED) line = undefined
  })
}

/** Replaces the page. If the focus was in it, it moves to the new title, which is announced. */
async function refresh(old: HTMLElement): Promise<void> {
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } })
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const columns = document.querySelector('.columns')
  const main = fresh.querySelector('main')
  const freshColumns = fresh.querySelector('.columns')
  if (!columns || !main || !freshColumns) return
  if (old.dataset.typed !== undefined && old.dataset.step === main.dataset.step) return showPrice(old, main, fresh)

  hear(Number.parseInt(main.dataset.now ?? '', 10))
  const hadFocus = old.contains(document.activeElement)
  columns.replaceWith(freshColumns)
  seenAt = performance.now()
  document.title = fresh.title
  const title = main.querySelector('h1')
  if (hadFocus) title?.focus()
  say(title?.textContent ?? '')
  document.dispatchEvent(new Event('page-refreshed'))
}

/** While the customer is typing, only the price is replaced; focus in it is kept. */
function showPrice(old: HTMLElement, main: HTMLElement, fresh: Document): void {
  old.dataset.version = main.dataset.version ?? ''
  hear(Number.parseInt(main.dataset.now ?? '', 10))
  for (const part of ['.headline', '.summary']) {
    const shown = document.querySelector(part)
    const next = fresh.querySelector(part)
    if (!shown || !next) continue
    const hadFocus = shown.contains(document.activeElement)
    shown.replaceWith(next)
    const title = next.querySelector<HTMLElement>('h2')
    if (hadFocus && title) {
      title.tabIndex = -1
      title.focus()
    }
  }
  tick()
  say(document.querySelector('[data-over]')?.textContent ?? '')
}

function say(text: string): void {
  const live = document.querySelector('#live')
  if (live) live.textContent = text
}

/** Requests a new price in place, so that typed text is kept. */
document.addEventListener('submit', (event) => {
  const form = event.target
  const main = watched()
  if (!(form instanceof HTMLFormElement) || !form.closest('[data-renew]') || !main) return
  event.preventDefault()
  const body = new URLSearchParams()
  for (const [name, value] of new FormData(form)) if (typeof value === 'string') body.append(name, value)
  fetch(form.action, { method: 'POST', body })
    .then(() => refresh(main))
    .catch(() => form.submit())
})

/** The server's time at the last answer, and this page's own stopwatch then: the browser's clock may be wrong, and phones sleep. */
let heard = { now: 0, at: 0 }

function hear(now: number | undefined): void {
  if (now !== undefined && !Number.isNaN(now)) heard = { now, at: performance.now() }
}

const unitsMs = { day: 86_400_000, hour: 3_600_000, minute: 60_000 } as const

/** Time left, formatted like the server does: the largest unit with at least two whole ones. */
function durationText(leftMs: number, soon: string): string {
  const unit = leftMs >= 2 * unitsMs.day ? 'day' : leftMs >= 2 * unitsMs.hour ? 'hour' : 'minute'
  const count = Math.floor(leftMs / unitsMs[unit])
  const forms = `${document.documentElement.lang}-u-nu-latn`
  return count < 1 ? soon : new Intl.NumberFormat(forms, { style: 'unit', unit, unitDisplay: 'long' }).format(count)
}

function inSeconds(leftMs: number): string {
  const left = Math.floor(leftMs / 1_000)
  return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`
}

/** Updates the time left on the page. */
function tick(): void {
  for (const element of document.querySelectorAll<HTMLElement>('[data-ends]')) {
    const { ends = '', text = '', over, soon = '' } = element.dataset
    const leftMs = Number.parseInt(ends, 10) - heard.now - (performance.now() - heard.at)
    if (over === undefined) {
      const shown = text.replace('{time}', durationText(leftMs, soon))
      if (element.textContent !== shown) element.textContent = shown
      continue
    }
    const said = leftMs > 0 ? text.replace('{time}', inSeconds(leftMs)) : over
    if (element.textContent === said) continue
    element.textContent = said
    if (leftMs > 0) continue
    // Announced once, when it happens; the countdown itself isn't read out.
    say(over)
    const renewal = element.closest('.deadlines')?.querySelector<HTMLElement>('[data-renew]')
    if (renewal) renewal.hidden = false
  }
}

document.addEventListener('visibilitychange', () => {
  wait = askEveryMs
  seenAt = performance.now()
  clearTimeout(timer)
  timer = setTimeout(() => void look(), 0)
})
hear(Number.parseInt(watched()?.dataset.now ?? '', 10))
tick()
setInterval(tick, 1_000)
timer = setTimeout(() => void look(), askEveryMs)

export {}

/**
 * What a reader would stumble over on the page that is shown, one sentence a fault; runs inside of the browser, so it stands by
 * itself.
 *
 * Overlapping: two lines of text cover each other. Cut: a field is too narrow for what stands in it, or a ticker stands in two lines.
 * Direction: that of the document, that of what is written from left to right in any language, and that the page's first column stands
 * on the side where reading begins.
 */
export function readingFaults(direction: 'ltr' | 'rtl'): string[] {
  const faults: string[] = []
  const name = (element: Element): string => {
    const said = (element.textContent ?? '').trim().replaceAll(/\s+/g, ' ').slice(0, 40)
    return `<${element.localName}${element.className === '' ? '' : ` class="${element.getAttribute('class')}"`}> ${said}`
  }
  const isShown = (element: Element): boolean =>
    element.checkVisibility({ visibilityProperty: true }) && element.closest('.visually-hidden, noscript, svg') === null
  const shown = [...document.body.querySelectorAll('*')].filter(isShown)

  for (const field of shown)
    if (field instanceof HTMLInputElement && field.value !== '' && field.scrollWidth > field.clientWidth + 1)
      faults.push(`is cut: ${name(field)} ${field.value}`)

  const inCode = (node: Node): boolean => node.parentElement?.closest('code') !== null
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walk.nextNode(); node; node = walk.nextNode())
    for (const { 0: ticker, index } of inCode(node) ? [] : (node.textContent ?? '').matchAll(/(?<![A-Z])[A-Z]{3,}/g)) {
      const range = document.createRange()
      range.setStart(node, index)
      range.setEnd(node, index + ticker.length)
      if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) faults.push(`is cut: ${ticker}`)
    }

  const ownText = (element: Element): Range[] =>
    [...element.childNodes].flatMap((node) => {
      if (node.nodeType !== Node.TEXT_NODE || (node.textContent ?? '').trim() === '') return []
      const range = document.createRange()
      range.selectNodeContents(node)
      return [range]
    })
  const lines = shown.flatMap((element) =>
    ownText(element).flatMap((range) => [...range.getClientRects()].map((box) => ({ element, box }))),
  )
  for (const [at, one] of lines.entries())
    for (const other of lines.slice(at + 1)) {
      if (one.element === other.element) continue
      const across = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left)
      const down = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top)
      // Boxes of lines are taller than their letters: those of two neighboring lines may touch.
      const least = Math.min(one.box.height, other.box.height) / 3
      if (across > 1 && down > least) faults.push(`overlap: ${name(one.element)} and ${name(other.element)}`)
    }

  if ((document.dir || 'ltr') !== direction) faults.push(`runs ${document.dir}`)
  for (const code of shown.filter((element) => element.matches('code, input[inputmode=decimal], textarea')))
    if (getComputedStyle(code).direction !== 'ltr') faults.push(`runs from right to left: ${name(code)}`)
  const [main, summary] = ['main', '.summary'].map((one) => document.querySelector(one)?.getBoundingClientRect())
  const isBeside = main !== undefined && summary !== undefined && summary.top < main.bottom
  if (isBeside && main.left < summary.left !== (direction === 'ltr')) faults.push('its columns are the wrong way round')
  return faults
}

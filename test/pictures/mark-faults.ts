/**
 * What is wrong with what is drawn, and with what runs from left to right, on the page that is shown, one sentence a fault; runs inside
 * of the browser, so it stands by itself. The letters of a mark run from left to right. The ring round a small mark has the color of
 * what it lies on. An address in a page that runs from right to left stands where that page's words begin.
 */
export function markFaults(): string[] {
  const groundOf = (element: Element | null): string => {
    const ground = element === null ? '' : getComputedStyle(element).backgroundColor
    return element === null || ground !== 'rgba(0, 0, 0, 0)' ? ground : groundOf(element.parentElement)
  }
  const faults: string[] = []
  for (const letters of document.querySelectorAll('svg text'))
    if (getComputedStyle(letters).direction !== 'ltr')
      faults.push(`is drawn from right to left: ${letters.textContent}`)
  for (const small of document.querySelectorAll('.currency-mark svg + svg')) {
    const [ground, ring] = [groundOf(small.parentElement), getComputedStyle(small).boxShadow]
    if (small.checkVisibility() && !ring.startsWith(ground)) faults.push(`has a ring of ${ring} on ${ground}`)
  }
  if (document.dir !== 'rtl') return faults
  for (const address of document.querySelectorAll('code.address')) {
    const last = document.createRange()
    last.selectNodeContents(address)
    const right = Math.max(...[...last.getClientRects()].map((box) => box.right))
    const { right: edge } = address.getBoundingClientRect()
    const inner = edge - parseFloat(getComputedStyle(address).paddingRight)
    if (address.checkVisibility() && Math.abs(inner - right) > 2) faults.push(`stands apart: ${address.textContent}`)
  }
  return faults
}

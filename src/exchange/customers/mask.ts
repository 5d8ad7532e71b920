const hidden = '••••'

/** A text that its owner recognizes and others cannot use: `bc1q••••f3t4`, `J•••• D••••`. */
export function maskText(text: string): string {
  if (text.length >= 16 && !text.includes(' ')) return `${text.slice(0, 4)}${hidden}${text.slice(-4)}`
  return text
    .split(/\s+/)
    .map((part) => `${part.length < 2 ? '' : part.slice(0, 1)}${hidden}`)
    .join(' ')
}

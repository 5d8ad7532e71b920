/** Escapes a text for HTML. */
export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** What has a color in code of every language that we show: comments, texts, numbers and a few keywords. */
const colors =
  /(?<comment>(?<![^\s])(?:\/\/|#(?!!)) .*|\/\*\*?[^]*?\*\/)|(?<literal>"(?:\\.|[^"\\\n])*"|'[^'\n]*'|`[^`]*`)|\b(?:(?<number>\d[\d_.]*)|(?<word>async|await|catch|class|const|def|else|export|for|from|function|func|if|import|new|of|raise|require|return|throw|try|type|null|true|false))\b/g

/** Code as HTML, with its parts in colors; the text stays as it is. */
export function colored(code: string): string {
  const parts: string[] = []
  let end = 0
  for (const { 0: part, index, groups = {} } of code.matchAll(colors)) {
    const [kind] = Object.entries(groups).find(([, found]) => found !== undefined) ?? []
    parts.push(escaped(code.slice(end, index)), `<span class="${kind}">${escaped(part)}</span>`)
    end = index + part.length
  }
  return [...parts, escaped(code.slice(end))].join('')
}

/** The few marks that our descriptions use, as a page shows them: paragraphs, `code` and **strong**. */
export const said = (text: string): string =>
  text
    .split('\n\n')
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => `<p>${marked(escaped(paragraph))}</p>`)
    .join('\n')

const marked = (text: string): string =>
  text.replace(/`([^`]+)`/g, '<code>$1</code>').replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')

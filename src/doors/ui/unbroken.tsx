/** A button's text, in which `e-mail` doesn't break at its hyphen. */
export const Unbroken = ({ text }: { text: string }) => (
  <span>{text.split(/(e-mail)/i).map((part, at) => (at % 2 === 0 ? part : <span class="unbroken">{part}</span>))}</span>
)

/** A text on a button, in which `e-mail` stays in one line: browsers break behind its hyphen. One element, so that it flows as one text. */
export const Unbroken = ({ text }: { text: string }) => (
  <span>{text.split(/(e-mail)/i).map((part, at) => (at % 2 === 0 ? part : <span class="unbroken">{part}</span>))}</span>
)

/**
 * An address, whole, in groups of four that the eye can compare. The gaps are drawn, not written: what is copied is the
 * address.
 */
export function Address({ text }: { text: string }) {
  return (
    <code class="address" translate={false}>
      {(text.match(/.{1,4}/gs) ?? []).map((group, at) => (
        <span key={at}>{group}</span>
      ))}
    </code>
  )
}

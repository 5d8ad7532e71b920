/**
 * An address, whole, in groups of four that the eye can compare. The gaps are drawn, not written: what is copied is the
 * address. Groups that another address has differently are marked.
 */
export function Address({ text, unlike }: { text: string; unlike?: string }) {
  const others = unlike === undefined ? undefined : groupsOf(unlike)
  return (
    <code dir="ltr" class="address" translate={false}>
      {groupsOf(text).map((group, at) => (
        <span key={at} class={others === undefined || others[at] === group ? undefined : 'differs'}>
          {group}
        </span>
      ))}
    </code>
  )
}

const groupsOf = (text: string): string[] => text.match(/.{1,4}/gs) ?? []

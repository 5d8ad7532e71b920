/**
 * An address in full, in groups of four that are easy to compare. The gaps are visual only, so copying gives the plain address.
 * Groups that differ from the address `unlike` are marked.
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

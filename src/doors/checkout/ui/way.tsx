/** The stages of an order. `now` is the index of the current one. */
export function Way({ label, stages, now }: { label: string; stages: string[]; now: number }) {
  return (
    <ol class="way" aria-label={label}>
      {stages.map((stage, at) => (
        <Stage key={stage} state={at < now ? 'past' : at === now ? 'now' : 'next'}>
          {stage}
        </Stage>
      ))}
    </ol>
  )
}

function Stage({ state, children }: { state: 'past' | 'now' | 'next'; children: string }) {
  return (
    <li class={state} {...(state === 'now' ? { 'aria-current': 'step' as const } : {})}>
      <svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">
        {state === 'past' ? <path d="m6 12.5 4 4 8-9" /> : <circle cx="12" cy="12" r="4" />}
      </svg>
      {children}
    </li>
  )
}

import type { PageProps } from '../page.ts'

/** Buttons that fill in an address (islands/fill.ts). Each is hidden until a script finds that the browser supports it. */
export function Fills({ name, language: { say } }: Pick<PageProps, 'language'> & { name: string }) {
  return (
    <div
      class="fills"
      data-fills={name}
      data-lead={say('fill.scanLead')}
      data-stop={say('fill.stop')}
      data-done={say('fill.filled')}
    >
      <button type="button" class="quiet" data-fill="paste" hidden>
        {say('fill.paste')}
      </button>
      <button type="button" class="quiet" data-fill="scan" data-failed={say('fill.noCamera')} hidden>
        {say('fill.scan')}
      </button>
      <p class="hint" role="status"></p>
    </div>
  )
}

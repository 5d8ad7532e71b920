/** Secrets that are shown this once. */
export const SavedOnce = ({ secrets }: { secrets: readonly (readonly [name: string, text: string])[] }) => (
  <div class="notice" role="status">
    <p>Save what follows. It is not shown again.</p>
    <dl>
      {secrets.map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <code class="wrap">{text}</code>
          </dd>
        </div>
      ))}
    </dl>
  </div>
)

import type { PageProps } from '../page.ts'

/** Placeholders for the links within the sentence. */
const places = { terms: '\uE000', privacy: '\uE001' }

/** Says what is accepted by sending the form, and names the versions. Links open in a new tab, so that nothing typed is lost. */
export function AcceptedTerms({ language: { say }, legal }: Pick<PageProps, 'language' | 'legal'>) {
  const parts = say('terms.sentence', places).split(/([\uE000\uE001])/)
  return (
    <>
      <input type="hidden" name="accepts" value={legal.accepts} />
      <p class="hint">
        {parts.map((part) =>
          part === places.terms ? (
            <Link key={part} href={legal.termsUrl} text={say('terms.name')} hint={say('terms.newTab')} />
          ) : part === places.privacy ? (
            <Link key={part} href={legal.privacyUrl} text={say('privacy.name')} hint={say('terms.newTab')} />
          ) : (
            part
          ),
        )}
      </p>
    </>
  )
}

const Link = ({ href, text, hint }: { href: string; text: string; hint: string }) => (
  <a href={href} target="_blank" rel="noopener noreferrer">
    {text}
    <span class="visually-hidden"> {hint}</span>
  </a>
)

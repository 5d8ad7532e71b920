import type { Company } from '../../exchange/settings.ts'

/** Who the operator is, and where its customers get help: at the end of every page that customers see, as the operator wrote it. */
export function CompanyLines({ company }: { company: Company | undefined }) {
  if (company === undefined) return null
  const { name, address, license, support } = company
  return (
    <p class="company" translate={false}>
      <bdi>{`${name}, ${address}`}</bdi>
      <br />
      <bdi>
        {license === undefined ? null : `${license} · `}
        <a href={/^https?:/.test(support) ? support : `mailto:${support}`} target="_blank" rel="noopener">
          {support}
        </a>
      </bdi>
    </p>
  )
}

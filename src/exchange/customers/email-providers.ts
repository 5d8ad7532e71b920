/**
 * Providers that deliver several spellings of an address to one mailbox. One person must not count as several, and two persons never as
 * one: a domain is listed only where another person cannot have the same name at it. Each names the page that says so, read in November
 * 2026.
 */
type Provider = {
  /** Domains whose addresses are one mailbox; the first one stands for all. */
  domains: readonly [string, ...string[]]
  /** Characters of the name that make no difference. */
  ignored?: RegExp
  /** Mail to `any@name.domain` goes to `name@domain`. */
  hasSubdomains?: true
  source: string
}

const providers: readonly Provider[] = [
  {
    domains: ['gmail.com', 'googlemail.com'],
    ignored: /\./g,
    source: 'https://support.google.com/mail/answer/7436150',
  },
  {
    domains: ['proton.me', 'protonmail.com', 'pm.me', 'protonmail.ch'],
    ignored: /[._-]/g,
    source:
      'https://proton.me/support/addresses-and-aliases; that dots, hyphens and underscores are ignored: https://www.sindastra.de/p/1775/protonmail-dots-hyphens-and-underscores',
  },
  { domains: ['icloud.com', 'me.com', 'mac.com'], source: 'https://support.apple.com/en-us/118230' },
  {
    domains: ['yandex.ru', 'yandex.com', 'ya.ru', 'yandex.by', 'yandex.kz', 'yandex.ua'],
    source: 'https://yandex.com/support/id/authorization/email.html',
  },
  {
    domains: ['fastmail.com'],
    hasSubdomains: true,
    source: 'https://www.fastmail.help/hc/en-us/articles/360060591053',
  },
  {
    domains: ['fastmail.fm'],
    hasSubdomains: true,
    source: 'https://www.fastmail.help/hc/en-us/articles/360060591053',
  },
]

const byDomain = new Map(providers.flatMap((one) => one.domains.map((domain) => [domain, one] as const)))

/** The mailbox that an address of a listed provider goes to, without its tag; undefined for other domains. */
export function mailboxAt(name: string, domain: string): string | undefined {
  const own = byDomain.get(domain)
  if (own) return `${own.ignored ? name.replaceAll(own.ignored, '') : name}@${own.domains[0]}`
  const [owner = '', ...rest] = domain.split('.')
  const parent = byDomain.get(rest.join('.'))
  return parent?.hasSubdomains ? `${owner}@${parent.domains[0]}` : undefined
}

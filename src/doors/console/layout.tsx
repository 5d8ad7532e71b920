import type { ComponentChildren } from 'preact'

import { languageOf } from '../../platform/language/language.ts'
import { renderDocument } from '../ui/document.tsx'
import type { Assets } from './assets.ts'
import { csrfToken } from './cookie.ts'
import { accountPath, type Visit } from './page.ts'
import { menu } from './menu.ts'

const english = languageOf('en')

/** A whole page of the console for a signed-in operator. */
export const renderPage = (visit: Visit, title: string, children: ComponentChildren): string =>
  renderDocument({
    title: `${title} · Console`,
    language: english,
    styles: visit.assets.sheet,
    scripts: [],
    icon: visit.assets.icon,
    children: (
      <>
        <a class="skip" href="#main">
          Skip to content
        </a>
        <header class="bar">
          <a class="brand" href="/console">
            Console
          </a>
          {visit.path === '/console/orders' ? null : (
            <form class="find" method="get" action="/console/orders" role="search">
              <label class="visually-hidden" for="find">
                Find an order
              </label>
              <input id="find" name="q" type="search" placeholder="Find an order: id, e-mail, hash, amount" />
            </form>
          )}
          <a class="who" href={accountPath}>
            {visit.operator.name || visit.operator.email}
          </a>
          <form method="post" action="/console/sign-out">
            <button type="submit" class="quiet">
              Sign out
            </button>
          </form>
        </header>
        <div class="columns">
          <nav aria-label="Console">
            <ul>
              {menu
                .filter(({ needs }) => visit.may(needs))
                .map(({ path, name }) => (
                  <li key={path}>
                    <a href={path} {...(isAt(visit.path, path) ? { 'aria-current': 'page' as const } : {})}>
                      {name}
                    </a>
                  </li>
                ))}
            </ul>
          </nav>
          <main id="main">
            <h1>{title}</h1>
            {children}
          </main>
        </div>
      </>
    ),
  })

const isAt = (here: string, path: string): boolean =>
  path === '/console' ? here === path : here === path || here.startsWith(`${path}/`)

/** A page for somebody who is not signed in. */
export const renderPlain = (assets: Assets, title: string, children: ComponentChildren): string =>
  renderDocument({
    title: `${title} · Console`,
    language: english,
    styles: assets.sheet,
    scripts: [],
    icon: assets.icon,
    children: (
      <main class="plain" id="main">
        <h1>{title}</h1>
        {children}
      </main>
    ),
  })

const titles: Readonly<Record<number, string>> = {
  401: 'Sign in again',
  403: 'Not allowed',
  404: 'Not found',
  409: 'Not possible now',
  429: 'Too many attempts',
  500: 'Something went wrong',
}

/** A refusal or a fault, with the way back. */
export const renderMessage = (assets: Assets, status: number, message: string): string =>
  renderPlain(
    assets,
    titles[status] ?? 'Please check what you entered',
    <>
      <p>{message}</p>
      <p>
        <a href="/console">Back to the console</a>
      </p>
    </>,
  )

/** A form that posts to its own page, with the action in `action`. */
export function ActionForm({
  visit,
  action,
  name,
  class: kind,
  children,
}: {
  visit: Visit
  action: string
  /** What the button says. */
  name: string
  class?: string
  children?: ComponentChildren
}) {
  return (
    <form method="post" action={visit.path} class={kind ?? 'action'}>
      <input type="hidden" name="csrf" value={csrfToken(visit.ctx, visit.operator.sessionId)} />
      <input type="hidden" name="action" value={action} />
      {children}
      <button type="submit" class="button">
        {name}
      </button>
    </form>
  )
}

/** One field of an action's form. */
export function ActionField({
  id,
  name,
  label,
  hint,
  type = 'text',
  required = false,
}: {
  id: string
  name: string
  label: string
  hint?: string
  type?: 'text' | 'password'
  required?: boolean
}) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hint === undefined ? null : (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {type === 'password' ? (
        <input id={id} name={name} type="password" autocomplete="off" required={required} />
      ) : (
        <input id={id} name={name} type="text" autocomplete="off" required={required} />
      )}
    </div>
  )
}

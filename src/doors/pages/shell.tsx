import type { ComponentChildren } from 'preact'

import { renderDocument } from '../ui/document.tsx'
import type { AreaVisit } from './area.ts'
import type { Area } from './cookie.ts'
import { OnceField } from './form.tsx'
import { areaNames, english } from './plain.tsx'
import { SavedOnce } from './saved-once.tsx'
import { Typed } from './typed.tsx'

/** One line of an area's menu. */
export type MenuItem = { path: string; name: string }

type ShellProps = {
  area: Area
  visit: Pick<AreaVisit, 'assets' | 'path' | 'refused' | 'said' | 'secrets'>
  title: string
  menu: readonly MenuItem[]
  /** Who is signed in, as a link to the own account. */
  who: { name: string; path: string }
  /** What the search at the top finds. */
  find: string
  children: ComponentChildren
}

/** A whole page for somebody who is signed in. */
export function renderShell({ area, visit, title, menu, who, find, children }: ShellProps): string {
  const orders = `/${area}/orders`
  return renderDocument({
    title: `${title} · ${areaNames[area]}`,
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
          <a class="brand" href={`/${area}`}>
            {areaNames[area]}
          </a>
          {visit.path === orders ? null : (
            <form class="find" method="get" action={orders} role="search">
              <label class="visually-hidden" for="find">
                Find an order
              </label>
              <input id="find" name="q" type="search" placeholder={find} />
            </form>
          )}
          <a class="who" href={who.path}>
            {who.name}
          </a>
          <form method="post" action={`/${area}/sign-out`}>
            <OnceField />
            <button type="submit" class="quiet">
              Sign out
            </button>
          </form>
        </header>
        <div class="columns">
          <nav aria-label={areaNames[area]}>
            <ul>
              {menu.map(({ path, name }) => (
                <li key={path}>
                  <a href={path} {...(isAt(area, visit.path, path) ? { 'aria-current': 'page' as const } : {})}>
                    {name}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
          <main id="main">
            <h1>{title}</h1>
            {visit.refused?.message ? (
              <p class="notice bad" role="alert">
                {visit.refused.message}
              </p>
            ) : null}
            {visit.refused?.isGone ? <Typed form={visit.refused.form} /> : null}
            {visit.said === undefined ? null : (
              <p class="notice" role="status">
                {visit.said}
              </p>
            )}
            {visit.secrets ? <SavedOnce secrets={visit.secrets} /> : null}
            {children}
          </main>
        </div>
      </>
    ),
  })
}

const isAt = (area: Area, here: string, path: string): boolean =>
  path === `/${area}` ? here === path : here === path || here.startsWith(`${path}/`)

import type { ComponentChildren } from 'preact'

import { languageOf } from '../../platform/language/language.ts'
import { renderDocument } from '../ui/document.tsx'
import type { Assets } from './assets.ts'
import type { Area } from './cookie.ts'
import { Typed } from './typed.tsx'

export const english = languageOf('en')

export const areaNames: Readonly<Record<Area, string>> = { console: 'Console', portal: 'Portal' }

/** A page for somebody who is not signed in. */
export const renderPlain = (assets: Assets, area: Area, title: string, children: ComponentChildren): string =>
  renderDocument({
    title: `${title} · ${areaNames[area]}`,
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

/** A refusal or a fault, with what was typed and the way back. */
export const renderMessage = (
  assets: Assets,
  area: Area,
  status: number,
  message: string,
  form?: URLSearchParams,
): string =>
  renderPlain(
    assets,
    area,
    titles[status] ?? 'Please check what you entered',
    <>
      <p>{message}</p>
      {form ? <Typed form={form} /> : null}
      <p>
        <a href={`/${area}`}>Back to the {area}</a>
      </p>
    </>,
  )

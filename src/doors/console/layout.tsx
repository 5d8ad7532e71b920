import type { ComponentChildren } from 'preact'

import { renderShell } from '../pages/shell.tsx'
import { menu } from './menu.ts'
import { accountPath, type Visit } from './page.ts'

/** A whole page of the console for a signed-in operator. */
export const renderPage = (visit: Visit, title: string, children: ComponentChildren): string =>
  renderShell({
    area: 'console',
    visit,
    title,
    menu: menu.filter(({ needs }) => visit.may(needs)),
    who: { name: visit.operator.name || visit.operator.email, path: accountPath },
    find: 'Find an order: id, e-mail, hash, amount',
    children,
  })

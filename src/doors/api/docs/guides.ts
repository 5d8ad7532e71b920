import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { projectRoot } from '../../../platform/lib/root.ts'

/** A guide for partners: its file name without the extension, which is also its path, its title and its Markdown. */
export type Guide = { name: string; title: string; text: string }

const folder = join(projectRoot, 'docs/partner')

/** In the order in which somebody who integrates needs them; what is not named here comes last. */
const order = [
  'quickstart',
  'buy-button',
  'sell-from-wallet',
  'webhooks',
  'matching-orders',
  'go-live',
  'authentication',
  'errors',
  'scenarios',
  'country-and-billing',
  'customers',
  'calculator',
  'checkout-tour',
  'b2b',
  'portal',
  'compatibility',
  'contract',
  'changelog',
]

const placeOf = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length)

/** Reads what `docs/partner/` holds, a guide a file. */
export const readGuides = (): Guide[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .map((file) => {
      const text = readFileSync(join(folder, file), 'utf8')
      const name = file.slice(0, -3)
      return { name, title: /^# (.+)$/m.exec(text)?.[1] ?? name, text }
    })
    .toSorted((one, other) => placeOf(one.name) - placeOf(other.name) || one.name.localeCompare(other.name))

/** A program that shows how, by its file's name. */
export type Sample = { name: string; text: string }

/** Reads the programs that the guides refer to. */
export const readSamples = (): Sample[] =>
  readdirSync(join(folder, 'samples')).map((name) => ({
    name,
    text: readFileSync(join(folder, 'samples', name), 'utf8'),
  }))

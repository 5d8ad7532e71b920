import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { projectRoot } from '../../../platform/lib/root.ts'
import type { Json } from './write-shapes.ts'

/** A request that was sent to a sandbox, and what it answered. */
export type Exchanged = {
  request: { path?: Record<string, string>; query?: Record<string, string>; body?: Json }
  status: number
  answer: unknown
}

/** Real answers, by the operation, the refusal's code and the event's type. */
export type Examples = {
  operations: Record<string, Exchanged[]>
  errors: Record<string, unknown>
  webhooks: Record<string, unknown>
}

/** Where they are kept. */
const examplesFile = join(projectRoot, 'assets', 'api-examples.json')

/** Reads them. */
export const readExamples = (): Examples => JSON.parse(readFileSync(examplesFile, 'utf8')) as Examples

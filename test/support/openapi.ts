import { join } from 'node:path'

import { stringify } from 'yaml'

import { projectFolder } from './source.ts'

/** A document, or a part of one. */
export type Json = Record<string, unknown>

/** The document as it is committed. */
export const documentFile = join(projectFolder, 'openapi.yaml')

/** Where the examples stand that a sandbox gave. */
export const examplesFile = join(projectFolder, 'assets/api-examples.json')

/** The origin that stands in what is committed, whichever it was that answered. */
export const exampleOrigin = 'https://exchange.example'

/** A served document as it is committed: as of production, at an origin that is nobody's. */
export function committedForm(served: Json): Json {
  const { info, servers } = served as { info: { contact: Json }; servers: Json[] }
  return {
    ...served,
    info: { ...info, contact: { ...info.contact, url: exampleOrigin } },
    servers: servers.map((one) => ({ ...one, url: exampleOrigin, description: 'A production exchange' })),
  }
}

/** The document as YAML: the same object gives the same text. */
export const yamlOf = (document: Json): string =>
  `# Made from what the routes declare. To write it anew: WRITE_PAPERS=1 npm test -- openapi\n${stringify(document, {
    lineWidth: 120,
    aliasDuplicateObjects: false,
  })}`

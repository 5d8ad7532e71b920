import { escaped, said } from './page-text.ts'
import { examplePart, schemaFields, typeOf } from './page-schema.ts'
import type { Json } from './write-shapes.ts'

type Operation = Json & { operationId: string; summary: string; description: string; tags: string[] }
type Placed = { verb: string; path: string; operation: Operation }

/** The reference as a part of a page, of the document alone. */
export function referencePart(document: Json): string {
  const { info, tags, paths, webhooks, components } = document as {
    info: { description: string }
    tags: { name: string; description: string }[]
    paths: Record<string, Json>
    webhooks: Record<string, Json>
    components: { schemas: Record<string, Json> }
  }
  const placed = [...placedOf(paths), ...placedOf(webhooks)]
  const ofTag = (tag: string) => placed.filter(({ operation }) => operation.tags.includes(tag))
  const sections = tags.map(({ name, description }) => tagPart(name, description, ofTag(name)))
  return `${said(info.description)}
<p>The same for programs: <a href="/openapi.json">OpenAPI 3.1</a>.</p>
<nav aria-label="Operations">
${tags.map(({ name }) => contentsPart(name, ofTag(name))).join('\n')}
<h2><a href="#schemas">Schemas</a></h2>
</nav>
${sections.join('\n')}
<h2 id="schemas">Schemas</h2>
${Object.entries(components.schemas).map(schemaPart).join('\n')}
`
}

const placedOf = (paths: Record<string, Json>): Placed[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([verb, operation]) => ({
      verb: verb.toUpperCase(),
      path,
      operation: operation as Operation,
    })),
  )

const contentsPart = (tag: string, placed: Placed[]): string => `<h2>${escaped(tag)}</h2>
<ul>${placed
  .map(
    ({ verb, path, operation }) =>
      `<li><a href="#${operation.operationId}"><span class="verb">${verb}</span><code>${escaped(path)}</code></a> ${escaped(operation.summary)}</li>`,
  )
  .join('\n')}</ul>`

const tagPart = (name: string, description: string, placed: Placed[]): string =>
  `<h2>${escaped(name)}</h2>\n${said(description)}\n${placed.map(operationPart).join('\n')}`

type Parameter = { $ref?: string; name: string; in: string; description: string; required: boolean; schema: Json }
type Content = { content?: { 'application/json'?: Json & { schema: Json } }; description: string }

function operationPart({ verb, path, operation }: Placed): string {
  const parameters = ((operation.parameters ?? []) as Parameter[]).filter((one) => one.$ref === undefined)
  const body = (operation.requestBody as Content | undefined)?.content?.['application/json']
  return `<section class="operation" id="${operation.operationId}">
<h3><span class="verb">${verb}</span> <code>${escaped(path)}</code><br>${escaped(operation.summary)}</h3>
${said(operation.description)}
${parameters.length > 0 ? `<h4>Parameters</h4>\n<dl>${parameters.map(parameterPart).join('')}</dl>` : ''}
${body ? `<h4>Body</h4>\n<p>${typeOf(body.schema)}</p>${examplePart('An example', body.example)}` : ''}
<h4>Answers</h4>
<dl>${Object.entries(operation.responses as Record<string, Content>)
    .map(([status, one]) => answerPart(status, one))
    .join('')}</dl>
</section>`
}

const parameterPart = ({ name, in: place, description, required, schema }: Parameter): string =>
  `<dt><code>${escaped(name)}</code> <span class="kind">${place}${required ? ', required' : ''}; ${typeOf(schema)}</span></dt>
<dd>${said(description)}</dd>`

function answerPart(status: string, { description, content }: Content): string {
  const json = content?.['application/json']
  const isSuccess = status.startsWith('2')
  const kind = json && isSuccess ? ` <span class="kind">${typeOf(json.schema)}</span>` : ''
  return `<dt><strong>${status}</strong>${kind}</dt>
<dd>${said(description)}${isSuccess ? examplePart('A real answer', json?.example) : ''}</dd>`
}

const schemaPart = ([name, schema]: [string, Json]): string =>
  `<section id="schema-${name}">
<h3><code>${name}</code></h3>
${said(typeof schema.description === 'string' ? schema.description : '')}
${schemaFields(schema)}
</section>`

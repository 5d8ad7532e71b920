import { createHash } from 'node:crypto'

import { escaped, said } from './page-text.ts'
import { examplePart, schemaFields, typeOf } from './page-schema.ts'
import type { Json } from './write-shapes.ts'

const style = `
:root{color-scheme:light dark;font:16px/1.55 system-ui,sans-serif;--line:#8885;--soft:#8881;--link:#0645ad;--paper:#fff;--ink:#1a1a1a}
@media (prefers-color-scheme:dark){:root{--link:#8ab4f8;--paper:#141414;--ink:#eaeaea}}
*{box-sizing:border-box}
html{background:var(--paper);color:var(--ink)}
body{max-width:52rem;margin:0 auto;padding:1rem;overflow-wrap:anywhere}
h1{font-size:1.75rem;line-height:1.2}h2{margin-top:3rem;border-bottom:1px solid var(--line)}
h3{margin:2.5rem 0 .25rem;font-size:1.05rem;font-weight:600}h4{margin:1.25rem 0 .25rem;font-size:1rem}
code,pre{font:.875rem/1.5 ui-monospace,monospace}
pre{padding:.75rem;overflow-x:auto;border:1px solid var(--line);border-radius:.5rem;background:var(--soft);overflow-wrap:normal}
nav ul,ul.plain{list-style:none;padding:0}nav li{margin:.25rem 0}
nav li code{font-size:.8125rem}
.verb{display:inline-block;min-width:3.25rem;font:700 .8125rem/1.5 ui-monospace,monospace}
dl{margin:.25rem 0 0;border-top:1px solid var(--line)}
dt{padding-top:.5rem}dd{margin:0 0 .5rem;padding-left:1rem}
.kind{font-size:.875rem;opacity:.85}
dd p{margin:.125rem 0}
summary{cursor:pointer;padding:.25rem 0}
a{color:var(--link)}
:target{scroll-margin-top:1rem}
section.operation:target h3{text-decoration:underline}`

/** Nothing but the page's own style: no script, no picture, nothing from anywhere else. */
export const pagePolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

type Operation = Json & { operationId: string; summary: string; description: string; tags: string[] }
type Placed = { verb: string; path: string; operation: Operation }

/** The reference as a page, of the document alone: it needs no script and nothing from anywhere else. */
export function referencePage(document: Json): string {
  const { info, tags, paths, webhooks, components } = document as {
    info: { title: string; description: string }
    tags: { name: string; description: string }[]
    paths: Record<string, Json>
    webhooks: Record<string, Json>
    components: { schemas: Record<string, Json> }
  }
  const placed = [...placedOf(paths), ...placedOf(webhooks)]
  const ofTag = (tag: string) => placed.filter(({ operation }) => operation.tags.includes(tag))
  const sections = tags.map(({ name, description }) => tagPart(name, description, ofTag(name)))
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escaped(info.title)}</title>
<style>${style}</style>
<main>
<h1>${escaped(info.title)}</h1>
${said(info.description)}
<p>The same for programs: <a href="/openapi.json">OpenAPI 3.1</a>.</p>
<nav aria-label="Operations">
${tags.map(({ name }) => contentsPart(name, ofTag(name))).join('\n')}
<h2><a href="#schemas">Schemas</a></h2>
</nav>
${sections.join('\n')}
<h2 id="schemas">Schemas</h2>
${Object.entries(components.schemas).map(schemaPart).join('\n')}
</main>
</html>
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
      `<li><a href="#${operation.operationId}"><span class="verb">${verb}</span><code>${escaped(path)}</code></a> ${escaped(operation.summary)}`,
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
  `<dt><code>${escaped(name)}</code> <span class="kind">${place}${required ? ', required' : ''}; ${typeOf(schema)}</span>
<dd>${said(description)}</dd>`

function answerPart(status: string, { description, content }: Content): string {
  const json = content?.['application/json']
  const isSuccess = status.startsWith('2')
  return `<dt><strong>${status}</strong> ${json && isSuccess ? `<span class="kind">${typeOf(json.schema)}</span>` : ''}
<dd>${said(description)}${isSuccess ? examplePart('A real answer', json?.example) : ''}</dd>`
}

const schemaPart = ([name, schema]: [string, Json]): string =>
  `<section id="schema-${name}">
<h3><code>${name}</code></h3>
${said(typeof schema.description === 'string' ? schema.description : '')}
${schemaFields(schema)}
</section>`

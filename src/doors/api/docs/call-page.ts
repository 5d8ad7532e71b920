import { colored, escaped, said } from './text.ts'
import { callPath, type Call, type CallGroup } from './calls.ts'
import { schemaFields, type Schemas, typeOf } from './fields.ts'
import { requestOf, type SampleRequest, samplesOf } from './samples.ts'
import type { Json } from '../openapi/write-shapes.ts'

/** A page in two parts: what is read, and next to it what is copied. */
export type Parts = { html: string; aside: string }

type Parameter = { $ref?: string; name: string; in: string; description: string; required: boolean; schema: Json }
type Content = { content?: { 'application/json'?: Json & { schema: Json } }; description: string }

/** What a page about a call needs to know besides the call. `isSandbox`: readers can make the call from the page. */
export type Surroundings = { schemas: Schemas; origin: string; isSandbox: boolean }

/** One call, or one event: every field in place, samples, and a real answer. */
export function callParts(call: Call, surroundings: Surroundings): Parts {
  const { operation, verb, path, isEvent } = call
  const { schemas, origin, isSandbox } = surroundings
  const parameters = ((operation.parameters ?? []) as Parameter[]).filter((one) => one.$ref === undefined)
  const body = (operation.requestBody as Content | undefined)?.content?.['application/json']
  const html = `<p class="endpoint"><span class="verb">${verb}</span> <code>${escaped(path)}</code></p>
${said(operation.description)}
${parameters.length > 0 ? `<h2 id="parameters">Parameters</h2>\n<dl>${parameters.map(parameterPart).join('')}</dl>` : ''}
${body ? `<h2 id="body">${isEvent ? 'What we send' : 'Body'}</h2>\n${schemaFields(body.schema, schemas)}` : ''}
<h2 id="answers">${isEvent ? 'What you answer' : 'Answers'}</h2>
<dl>${Object.entries(operation.responses as Record<string, Content>)
    .map(([status, one]) => answerPart(status, one, schemas))
    .join('')}</dl>`
  if (isEvent) return { html, aside: examplePart('What we send', body?.example) }
  const request = requestOf(call, origin)
  return { html, aside: samplesPart(request) + answersPart(call) + (isSandbox ? runPart(request) : '') }
}

/** A name that leads to the page of the errors. */
const withCodes = (description: string): string =>
  said(description).replace(
    /<code>([A-Z0-9_]{4,})<\/code>:/g,
    (_, code: string) => `<a href="/docs/errors"><code>${code}</code></a>:`,
  )

const parameterPart = ({ name, in: place, description, required, schema }: Parameter): string =>
  `<dt><code>${escaped(name)}</code> <span class="kind">${place}${required ? ', required' : ''}; ${typeOf(schema)}</span></dt>
<dd>${said(description)}</dd>`

function answerPart(status: string, { description, content }: Content, schemas: Schemas): string {
  const json = content?.['application/json']
  if (!json || !status.startsWith('2')) return `<dt><strong>${status}</strong></dt>\n<dd>${withCodes(description)}</dd>`
  return `<dt><strong>${status}</strong> <span class="kind">${typeOf(json.schema)}</span></dt>
<dd>${said(description)}
<details><summary>Fields of the answer</summary>${schemaFields(json.schema, schemas)}</details></dd>`
}

function samplesPart(request: SampleRequest): string {
  const samples = samplesOf(request)
  const choices = samples.map(
    ({ language, name }, index) =>
      `<label><input type="radio" name="language" value="${language}"${index === 0 ? ' checked' : ''}> ${name}</label>`,
  )
  return `<fieldset class="languages"><legend>Sample in</legend>${choices.join('')}</fieldset>
${samples.map(({ language, name, text }) => `<div data-language="${language}">${codePart(`Sample in ${name}`, text)}</div>`).join('\n')}`
}

const codePart = (label: string, text: string): string =>
  `<pre tabindex="0" role="group" aria-label="${label}"><code>${colored(text)}</code></pre>`

const examplePart = (title: string, example: unknown): string =>
  example === undefined ? '' : `<h2>${title}</h2>${codePart(title, JSON.stringify(example, null, 2))}`

const answersPart = ({ operation }: Call): string =>
  Object.entries(operation.responses as Record<string, Content>)
    .filter(([status]) => status.startsWith('2'))
    .map(([status, { content }]) => examplePart(`A real answer, ${status}`, content?.['application/json']?.example))
    .join('\n')

/** A form that scripts show, and that makes the call. */
const runPart = ({
  method,
  path,
  body,
  key,
}: SampleRequest): string => `<form class="run" hidden data-method="${method}">
<h2 id="run">Run in sandbox</h2>
<label>Path <input type="text" name="path" value="${escaped(path)}" spellcheck="false"></label>
${body === undefined ? '' : `<label>Body <textarea name="body" rows="8" spellcheck="false">${escaped(JSON.stringify(body, null, 2))}</textarea></label>`}
${key === undefined ? '' : `<label>Test key <input type="text" name="key" value="${key}" autocomplete="off" spellcheck="false"></label>`}
<button type="submit">Run</button>
<output></output>
</form>`

/** All calls as links, by tag. */
export const callList = (groups: readonly CallGroup[]): string =>
  groups
    .map(
      ({ tag, about, calls }) => `<h2>${escaped(tag)}</h2>
${said(about)}
<ul class="calls">${calls
        .map(
          ({ id, verb, path, isEvent, operation }) =>
            `<li><a href="${callPath(id)}"><span class="verb">${isEvent ? 'EVENT' : verb}</span> <code>${escaped(path)}</code></a> ${escaped(operation.summary)}</li>`,
        )
        .join('\n')}</ul>`,
    )
    .join('\n')

/** Every schema of the interface. */
export const schemaList = (schemas: Schemas): string =>
  Object.entries(schemas)
    .map(
      ([name, schema]) => `<section id="schema-${name}">
<h2><code>${name}</code></h2>
${said(typeof schema.description === 'string' ? schema.description : '')}
${schemaFields(schema)}
</section>`,
    )
    .join('\n')

import type { Json } from '../openapi/write-shapes.ts'
import type { Call } from './calls.ts'
import { javascript, json, literal, php, python } from './literals.ts'
import { sdkMethods } from './sdk-methods.ts'

/** What programs send: one request of a call, with the values of its example. */
export type SampleRequest = {
  id: string
  method: string
  origin: string
  /** With the query. */
  path: string
  /** The values that are a part of the path, in order. */
  inPath: readonly string[]
  query: Readonly<Record<string, string>>
  body: unknown
  /** What stands for the key; undefined where the call needs none. */
  key: string | undefined
  /** Whether a repeated request must say that it is one. */
  isOnce: boolean
  hasAnswer: boolean
}

/** A program that makes a request. */
export type CallSample = { language: string; name: string; text: string }

type Parameter = { $ref?: string; name: string; in: string; example?: string }

/** The request of a call's example. */
export function requestOf({ id, verb, path, operation }: Call, origin: string): SampleRequest {
  const parameters = (operation.parameters ?? []) as Parameter[]
  const given = (place: string): [name: string, value: string][] =>
    parameters.flatMap((one) => (one.in === place && one.example !== undefined ? [[one.name, one.example]] : []))
  const inPath = new Map(given('path'))
  const query = given('query')
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(inPath.get(name) ?? ''))
  const access = operation['x-access']
  const body = operation.requestBody as { content: { 'application/json': { example?: unknown } } } | undefined
  return {
    id,
    method: verb,
    origin,
    path: query.length === 0 ? filled : `${filled}?${new URLSearchParams(query)}`,
    inPath: [...inPath.values()],
    query: Object.fromEntries(query),
    body: body?.content['application/json'].example,
    key: access === 'anyone' ? undefined : access === 'secret-key' ? 'YOUR_SECRET_KEY' : 'YOUR_PUBLIC_KEY',
    isOnce: parameters.some(({ $ref }) => $ref?.endsWith('/IdempotencyKey') === true),
    hasAnswer: !('204' in (operation.responses as Json)),
  }
}

/** Programs that make the same request, in the languages that readers choose from. */
export const samplesOf = (request: SampleRequest): CallSample[] => [
  { language: 'curl', name: 'cURL', text: inCurl(request) },
  { language: 'javascript', name: 'JavaScript', text: inJavaScript(request) },
  { language: 'python', name: 'Python', text: inPython(request) },
  { language: 'php', name: 'PHP', text: inPhp(request) },
]

const inShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

function inCurl({ method, origin, path, key, body, isOnce }: SampleRequest): string {
  const implied = body === undefined ? 'GET' : 'POST'
  return [
    `curl ${inShell(origin + path)}`,
    ...(method === implied ? [] : [`-X ${method}`]),
    ...(key === undefined ? [] : [`-H ${inShell(`x-api-key: ${key}`)}`]),
    ...(isOnce ? ['-H "idempotency-key: $(openssl rand -hex 16)"'] : []),
    ...(body === undefined
      ? []
      : [`-H ${inShell('content-type: application/json')}`, `-d ${inShell(literal(body, json, '  '))}`]),
  ].join(' \\\n  ')
}

function inJavaScript({ id, origin, key, inPath, query, body }: SampleRequest): string {
  const options = { baseUrl: origin, ...(key === undefined ? {} : { apiKey: key }) }
  const last = body ?? (Object.keys(query).length > 0 ? query : undefined)
  const given = [...inPath, ...(last === undefined ? [] : [last])].map((one) => literal(one, javascript))
  return `import { Cambio } from 'cambio-sdk'

const cambio = new Cambio(${literal(options, javascript)})
const answer = await cambio.${sdkMethods[id] ?? ''}(${given.join(', ')})
console.log(answer)`
}

function inPython({ method, origin, path, key, body, isOnce, hasAnswer }: SampleRequest): string {
  const headers = [
    ...(key === undefined ? [] : [`"x-api-key": "${key}"`]),
    ...(isOnce ? ['"idempotency-key": str(uuid.uuid4())'] : []),
    ...(body === undefined ? [] : ['"content-type": "application/json"']),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`method="${method}"`]),
    ...(headers.length === 0 ? [] : [`headers={${headers.join(', ')}}`]),
    ...(body === undefined ? [] : [`data=json.dumps(${literal(body, python, '    ')}).encode()`]),
  ]
  const imports = ['json', 'urllib.request', ...(isOnce ? ['uuid'] : [])]
  return `${imports.map((name) => `import ${name}`).join('\n')}

request = urllib.request.Request(
    "${origin}${path}",
${options.map((option) => `    ${option},\n`).join('')})
with urllib.request.urlopen(request) as response:
    print(${hasAnswer ? 'json.load(response)' : 'response.status'})`
}

function inPhp({ method, origin, path, key, body, isOnce, hasAnswer }: SampleRequest): string {
  const headers = [
    ...(key === undefined ? [] : [`'x-api-key: ${key}'`]),
    ...(isOnce ? ["'idempotency-key: ' . bin2hex(random_bytes(16))"] : []),
    ...(body === undefined ? [] : ["'content-type: application/json'"]),
  ]
  return `<?php
$context = stream_context_create(['http' => [
    'method' => '${method}',
    'header' => [${headers.join(', ')}],
${body === undefined ? '' : `    'content' => json_encode(${literal(body, php, '    ')}),\n`}    'ignore_errors' => true,
]]);
$answer = file_get_contents('${origin}${path}', false, $context);
${hasAnswer ? 'print_r(json_decode($answer, true));' : 'echo $http_response_header[0];'}`
}

import type { FastifyInstance } from 'fastify'

/** Lets the routes of a scope take HTML forms of at most so many bytes, as URLSearchParams, and no other bodies. */
export function readForms(scope: FastifyInstance, largestForm: number): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: largestForm },
    (_request, text, parsed) => parsed(null, new URLSearchParams(String(text))),
  )
}

// Functions that make the descriptions of a route.

import type { Parameter, ResponseDescription } from '../http/route'
import type { JsonSchema } from './schemas'

export function queryParameter(
  name: string,
  description: string,
  rest: { schema?: JsonSchema; required?: boolean } = {},
): Parameter {
  return { name, in: 'query', description, ...rest }
}

export function pathParameter(name: string, description: string): Parameter {
  return { name, in: 'path', description, required: true }
}

export function headerParameter(name: string, description: string, required = false): Parameter {
  return { name, in: 'header', description, required }
}

export function jsonResponse(description: string, schema: JsonSchema): ResponseDescription {
  return { description, body: { mediaType: 'application/json', schema } }
}

/** Describes a file, or a part of it with `part`. */
export function fileResponse(
  description: string,
  mediaType: string,
  part = false,
): ResponseDescription {
  return {
    description,
    body: { mediaType, schema: {} },
    headers: {
      'Content-Length': { description: 'Bytes that follow.' },
      'Content-Range': { description: 'Which bytes of how many.', optional: !part },
      'Last-Modified': { description: 'When the file was made.' },
    },
  }
}

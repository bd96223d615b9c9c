// Reads the JSON body of an error response, in both forms: bare as documented (document 1, Error) and
// wrapped as `{"errors":[Error, …]}` (service-notes.md). Each field is read alone: one that is of the wrong kind hides no other.

import { excerpt, type ServiceDescription } from '../../errors'

/** Parameters kept of one error. */
const MAX_PARAMETERS = 20

/** Reads the body's text; what cannot be read gives an empty description. Never throws. */
export function readServiceError(body: string): ServiceDescription {
  const { errorId, category, domain, message, longMessage, parameters } = errorObject(parsed(body))
  return {
    ...(typeof errorId === 'number' && Number.isSafeInteger(errorId) ? { errorId } : {}),
    ...text('category', category, 40),
    ...text('domain', domain, 40),
    ...text('message', message, 200),
    ...text('longMessage', longMessage, 500),
    ...(Array.isArray(parameters) && parameters.length > 0 ? { parameters: parametersOf(parameters) } : {}),
  }
}

function text<N extends string>(name: N, value: unknown, limit: number): Partial<Record<N, string>> {
  return typeof value === 'string' ? ({ [name]: excerpt(value, limit) } as Record<N, string>) : {}
}

function parametersOf(parameters: readonly unknown[]): NonNullable<ServiceDescription['parameters']> {
  return parameters.slice(0, MAX_PARAMETERS).flatMap(parameter => {
    const { name, value } = asRecord(parameter)
    return typeof name === 'string' ? [{ name: excerpt(name), ...text('value', value, 200) }] : []
  })
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function errorObject(value: unknown): Record<string, unknown> {
  const { errors } = asRecord(value)
  return Array.isArray(errors) ? asRecord(errors[0]) : asRecord(value)
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

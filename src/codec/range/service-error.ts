// Reads the JSON body of an error response, in both forms: bare as documented (document 1, Error) and
// wrapped as `{"errors":[Error, …]}` (service-notes.md). Only what an error needs to be told apart is kept.

import { excerpt } from '../../errors'

/** The service's own description of a failure. */
export interface ServiceError {
  readonly errorId?: number
  readonly category?: string
  readonly message?: string
}

/** Reads the body's text; what cannot be read gives an empty description. Never throws. */
export function readServiceError(body: string): ServiceError {
  const { errorId, category, message } = errorObject(parsed(body))
  return {
    ...(typeof errorId === 'number' && Number.isSafeInteger(errorId) ? { errorId } : {}),
    ...(typeof category === 'string' ? { category: excerpt(category, 40) } : {}),
    ...(typeof message === 'string' ? { message: excerpt(message, 200) } : {}),
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function errorObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return {}
  const { errors } = value as { errors?: unknown }
  const described: unknown = Array.isArray(errors) ? errors[0] : value
  return typeof described === 'object' && described !== null ? (described as Record<string, unknown>) : {}
}

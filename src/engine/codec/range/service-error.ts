// Reads the JSON body of an error response, in two forms: one error (feed-file-catalog.md,
// section 3.10), or `{"errors":[Error, …]}` (service-notes.md, section 4.3). Each field is read
// alone: a field of the wrong type is left out, and the others are kept.

import { excerpt, type ServiceDescription } from '../../errors'

/** The elements that are kept of each list. */
const MAX_LISTED = 20

/** Reads the text of a body. A malformed text gives an empty description. Never throws. */
export function readServiceError(body: string): ServiceDescription {
  const error = errorObject(parsed(body))
  const { errorId, parameters } = error
  const [inputRefIds, outputRefIds] = [texts(error.inputRefIds), texts(error.outputRefIds)]
  return {
    ...(typeof errorId === 'number' && Number.isSafeInteger(errorId) ? { errorId } : {}),
    ...text('category', error.category, 40),
    ...text('domain', error.domain, 40),
    ...text('subdomain', error.subdomain, 40),
    ...text('message', error.message, 200),
    ...text('longMessage', error.longMessage, 500),
    ...(inputRefIds && { inputRefIds }),
    ...(outputRefIds && { outputRefIds }),
    ...(Array.isArray(parameters) && parameters.length > 0
      ? { parameters: parametersOf(parameters) }
      : {}),
  }
}

function text<N extends string>(
  name: N,
  value: unknown,
  limit: number,
): Partial<Record<N, string>> {
  return typeof value === 'string' ? ({ [name]: excerpt(value, limit) } as Record<N, string>) : {}
}

function texts(value: unknown): readonly string[] | undefined {
  const all = Array.isArray(value)
    ? value.filter((element): element is string => typeof element === 'string')
    : []
  return all.length === 0 ? undefined : all.slice(0, MAX_LISTED).map(element => excerpt(element))
}

function parametersOf(
  parameters: readonly unknown[],
): NonNullable<ServiceDescription['parameters']> {
  return parameters.slice(0, MAX_LISTED).flatMap(parameter => {
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

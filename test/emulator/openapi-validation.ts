// Compares the responses of an emulator with its own description: every response must have a
// documented status, the documented media type and headers, and a body of the documented shape.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterEach, expect } from 'vitest'
import type { Emulator, EmulatorOptions } from '../../src/emulator'
import type { InProcessFetch } from '../../src/emulator/index'

interface OpenApiResponse {
  readonly headers?: Readonly<Record<string, { readonly required?: boolean }>>
  readonly content?: Readonly<Record<string, { readonly schema: object }>>
}

interface Operation {
  readonly method: string
  readonly pattern: RegExp
  readonly responses: Readonly<Record<string, OpenApiResponse>>
  /** The place of the responses in the document, as a JSON pointer. */
  readonly pointer: string
}

/** The problem of a response; undefined where it has none. */
export type ResponseCheck = (request: Request, response: Response) => Promise<string | undefined>

/** The check for one document. A body that is not JSON is not read. */
export function responseCheck(document: Readonly<Record<string, unknown>>): ResponseCheck {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(document, 'openapi')
  const validators = new Map<string, ValidateFunction>()
  const validatorAt = (pointer: string): ValidateFunction => {
    const validator = validators.get(pointer) ?? ajv.compile({ $ref: `openapi#${pointer}` })
    validators.set(pointer, validator)
    return validator
  }
  const operations = operationsOf(document)
  return async (request, response) => {
    const { pathname } = new URL(request.url)
    const isHead = request.method === 'HEAD'
    const method = isHead ? 'get' : request.method.toLowerCase()
    const operation = operations.find(
      known => known.method === method && known.pattern.test(pathname),
    )
    if (operation === undefined)
      return isOutside(pathname, response)
        ? undefined
        : `${request.method} ${pathname} is not documented`
    const documented = operation.responses[response.status]
    if (documented === undefined) return `status ${response.status} is not documented`
    const pointer = `${operation.pointer}/${response.status}`
    return (
      headerProblem(documented, response) ??
      (isHead ? undefined : bodyProblem(documented, pointer, response, validatorAt))
    )
  }
}

/** The problems since the end of the last test. */
const problems: string[] = []

/** Returns and removes the problems, so that the running test does not fail by them. */
export function takeProblems(): string[] {
  return problems.splice(0)
}

// A wrong response is recorded and not refused, because a client would take a refusal for a failure
// of the network and repeat the request.
afterEach(() => expect(takeProblems()).toEqual([]))

/**
 * The emulator's `fetch`. A test that imports it fails when one of its responses differs from the
 * document. Faults are not documented, so requests for faults pass, and so do all requests to an
 * emulator that makes faults by itself.
 */
export function validated(
  emulator: Pick<Emulator, 'fetch'>,
  options: Pick<EmulatorOptions, 'faults'> = {},
): InProcessFetch {
  if (options.faults !== undefined) return emulator.fetch
  let check: Promise<ResponseCheck> | undefined
  return async (input, init) => {
    const request = new Request(input, init)
    check ??= readDocument(emulator.fetch).then(responseCheck)
    const fault = request.headers.get('x-feedmill-fault')
    const response = await emulator.fetch(request)
    const problem =
      fault === null || fault.startsWith('error;')
        ? await (await check)(request, response)
        : undefined
    if (problem !== undefined) problems.push(`${request.method} ${request.url}: ${problem}`)
    return response
  }
}

/** The document does not describe its own address or unknown paths. */
function isOutside(path: string, response: Response): boolean {
  return path === '/openapi.json' || response.status === 404
}

async function readDocument(fetch: InProcessFetch): Promise<Record<string, unknown>> {
  return (await (await fetch('http://emulator/openapi.json')).json()) as Record<string, unknown>
}

function operationsOf(document: Readonly<Record<string, unknown>>): readonly Operation[] {
  const paths = document.paths as Record<
    string,
    Record<string, { responses: Operation['responses'] }>
  >
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => ({
      method,
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      responses,
      pointer: `/paths/${path.replaceAll('/', '~1').replaceAll(/[{}]/g, encodeURIComponent)}/${method}/responses`,
    })),
  )
}

function headerProblem({ headers = {} }: OpenApiResponse, response: Response): string | undefined {
  const missing = Object.entries(headers).find(
    ([name, { required }]) => required && !response.headers.has(name),
  )
  return missing && `the header ${missing[0]} is missing`
}

async function bodyProblem(
  { content }: OpenApiResponse,
  pointer: string,
  response: Response,
  validatorAt: (pointer: string) => ValidateFunction,
): Promise<string | undefined> {
  const mediaType = response.headers.get('content-type')?.split(';')[0]?.trim()
  if (content === undefined)
    return response.body === null ? undefined : 'a body where none is documented'
  if (mediaType === undefined || content[mediaType] === undefined)
    return `media type ${mediaType} is not documented`
  if (mediaType !== 'application/json') return undefined
  const body: unknown = await response.clone().json()
  const validator = validatorAt(`${pointer}/content/application~1json/schema`)
  return validator(body)
    ? undefined
    : `${JSON.stringify(body).slice(0, 400)}: ${JSON.stringify(validator.errors)}`
}

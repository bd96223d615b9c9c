// Applies faults between a request and the service, some of which replace its answer. The log keeps
// each fault in the form of a header, so that a request can repeat it. fault.ts describes the
// faults.

import { setTimeout as wait } from 'node:timers/promises'
import { FeedError } from '../../engine/index'
import { type FileVariant, ORIGINAL, setVariant } from '../feeds/file-responder'
import { plainErrors } from '../http/error-family'
import { challenge } from '../tokens'
import {
  FAULT_MAX_MS,
  type Fault,
  type FaultSettings,
  faultText,
  isLasting,
  strikesInBody,
} from './fault'
import { FAULT_HEADER, FaultPlan, type PlannedFault } from './fault-plan'
import { spoiltResponse } from './spoilt-response'

/** The connection of a request. A request in process has none. */
export interface Connection {
  /** Ends the connection with a reset (TCP RST). */
  reset(): void
}

export type Answer = (request: Request, connection?: Connection) => Promise<Response>

/** A fault that a request has met. */
export interface InjectedFault {
  readonly method: string
  /** The path and the query. */
  readonly path: string
  /** The Range header, if the request had one. */
  readonly range: string | null
  /** What selected the fault. */
  readonly source: PlannedFault['source']
  /** The fault in the form of the header `x-feedmill-fault`, with every number that was drawn. */
  readonly fault: string
}

/** The faults of an emulator. */
export interface Faults {
  /** The latest faults that requests have met, in the order in which they struck. */
  readonly log: readonly InjectedFault[]
  /**
   * Forgets all earlier requests, so that the same requests meet the same faults again, and empties
   * the log.
   */
  restart(): void
}

/**
 * The largest number of addresses with a replaced file. Past it, the address that was replaced
 * first has its first file again.
 */
const REPLACED_ADDRESSES = 10_000
/** Waits until the bytes before a reset have left the process. */
const MOST_LOGGED = 1_000
const RESET_DELAY_MS = 5
const LATENCY_MS = 200

export class FaultInjector implements Faults {
  readonly log: InjectedFault[] = []
  readonly #service: Answer
  readonly #plan: FaultPlan
  readonly #variants = new Map<string, FileVariant>()
  readonly #closed = new AbortController()

  constructor(settings: FaultSettings, service: Answer) {
    this.#plan = new FaultPlan(settings)
    this.#service = service
  }

  /**
   * Answers a request with the fault that it meets. Rejects only in process, where a socket would
   * reset the connection.
   */
  async answer(request: Request, connection?: Connection): Promise<Response> {
    let planned: PlannedFault | undefined
    try {
      planned = this.#plan.decide(request)
    } catch (error) {
      return unreadableFault(error)
    }
    return planned === undefined ? this.#serve(request) : this.#strike(request, planned, connection)
  }

  restart(): void {
    this.#plan.restart()
    this.#variants.clear()
    this.log.length = 0
  }

  /** Ends all waits. */
  close(): void {
    this.#closed.abort()
  }

  async #strike(request: Request, planned: PlannedFault, connection?: Connection) {
    const { fault, place } = planned
    if (strikesInBody(fault, place)) return this.#spoil(request, planned, connection)
    this.#note(request, planned)
    if (isLasting(fault)) this.#replaceFile(request, fault)
    if (fault.kind === 'reset') return resetAtOnce(request, connection)
    if (fault.kind === '500') return this.#service(failingRequest(request))
    if (fault.kind === 'range-ignored') return this.#serve(request, true)
    if (fault.kind === 'latency') await this.#wait(fault.ms ?? LATENCY_MS, request.signal)
    if (fault.kind === 'stall') await this.#wait(fault.ms ?? FAULT_MAX_MS, request.signal)
    return cannedAnswer(fault, request) ?? this.#serve(request)
  }

  async #spoil(request: Request, planned: PlannedFault, connection?: Connection) {
    const response = await this.#serve(request)
    const lengthBytes = Number(response.headers.get('content-length') ?? 0)
    const fault = withPlace(planned, lengthBytes)
    const spoilt = spoiltResponse(response, fault, {
      stall: ended => this.#wait(fault.ms ?? FAULT_MAX_MS, ended),
      reset: ended => this.#resetInBody(request, ended, connection),
    })
    if (spoilt !== undefined) this.#note(request, { ...planned, fault })
    return spoilt ?? response
  }

  async #resetInBody(request: Request, ended: AbortSignal, connection?: Connection) {
    if (connection === undefined) throw connectionReset(request)
    await this.#wait(RESET_DELAY_MS, ended)
    connection.reset()
    await this.#wait(FAULT_MAX_MS, ended)
  }

  #replaceFile(request: Request, { kind, bytes = 8 }: Fault): void {
    const address = addressOf(request)
    const before = this.#variants.get(address) ?? ORIGINAL
    const variant =
      kind === 'replaced'
        ? { ...before, generation: before.generation + 1 }
        : { ...before, cutBytes: before.cutBytes + bytes }
    this.#variants.set(address, variant)
    if (this.#variants.size > REPLACED_ADDRESSES)
      this.#variants.delete(this.#variants.keys().next().value!)
  }

  #serve(request: Request, ignoresRange = false): Promise<Response> {
    const variant = this.#variants.size === 0 ? undefined : this.#variants.get(addressOf(request))
    if (variant !== undefined || ignoresRange)
      setVariant(request, { ...(variant ?? ORIGINAL), ignoresRange })
    return this.#service(request)
  }

  #note(request: Request, { fault, source }: PlannedFault): void {
    const { method, headers } = request
    this.log.push({
      method,
      path: addressOf(request),
      range: headers.get('range'),
      source,
      fault: faultText(fault),
    })
    if (this.log.length > MOST_LOGGED) this.log.shift()
  }

  /** Resolves early when the client has disconnected or the emulator closes. */
  async #wait(ms: number, signal: AbortSignal): Promise<void> {
    await wait(ms, undefined, { signal: AbortSignal.any([signal, this.#closed.signal]) }).catch(
      () => {},
    )
  }
}

/** Returns the fault with its position as a number of bytes. */
function withPlace({ fault, place }: PlannedFault, lengthBytes: number): Fault {
  return fault.after === undefined && place !== undefined
    ? { ...fault, after: Math.floor(place * lengthBytes) }
    : fault
}

function resetAtOnce(request: Request, connection: Connection | undefined): Response {
  if (connection === undefined) throw connectionReset(request)
  connection.reset()
  return new Response(null)
}

function connectionReset(request: Request): FeedError {
  return new FeedError('HTTP_TRANSPORT', 'the connection was reset', { url: request.url })
}

function addressOf(request: Request): string {
  const { pathname, search } = new URL(request.url)
  return pathname + search
}

const PAGE =
  '<!DOCTYPE html>\n<html><head><title>Please wait</title></head><body><h1>We will be right back</h1></body></html>\n'

/**
 * Returns the answer of a fault that does not need the service. Returns undefined for the other
 * kinds.
 */
export function cannedAnswer(fault: Fault, request: Request): Response | undefined {
  if (fault.kind === '401')
    return withoutCode(401, {
      'www-authenticate': challenge('invalid_token', request.headers.get('authorization')),
    })
  if (fault.kind === 'html')
    return new Response(PAGE, { headers: { 'content-type': 'text/html; charset=utf-8' } })
  if (fault.kind === '404' || fault.kind === '409' || fault.kind === '416')
    return withoutCode(Number(fault.kind))
  if (fault.kind !== '429' && fault.kind !== '503') return undefined
  const retryAfter = fault['retry-after']
  const headers = {
    'content-type': 'text/plain',
    ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
  }
  return new Response(fault.kind === '429' ? 'Too many requests.\n' : 'Not now.\n', {
    status: Number(fault.kind),
    headers,
  })
}

/** Makes an Error object (feed-file-catalog.md, section 3.10) of the known fields. */
function withoutCode(status: number, headers: Readonly<Record<string, string>> = {}): Response {
  return plainErrors(false).codeless(status, 'The service did not say what is wrong.', { headers })
}

/** The answer to a request that names an unknown fault. */
export function unreadableFault(error: unknown): Response {
  return Response.json(
    { error: FeedError.is(error) ? error.message : 'unreadable' },
    { status: 400 },
  )
}

/**
 * Makes the same request, which its operation answers with its internal problem (the documented
 * rows with status 500). No operation has a method other than GET and POST, and a few others cannot
 * be put into a Request at all.
 */
export function failingRequest(request: Request): Request {
  const headers = new Headers(request.headers)
  headers.set(FAULT_HEADER, 'error;code=internal')
  const method = ['GET', 'HEAD', 'POST'].includes(request.method) ? request.method : 'OPTIONS'
  return new Request(request.url, { method, headers })
}

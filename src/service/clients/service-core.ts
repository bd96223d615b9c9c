// The base of the four clients: the profile, the checks of parameters, and requests with their
// addresses and tokens.

import type { Columns, FeedError, FeedFile, FeedSchema, Secrets } from '../../engine/index'
import {
  is,
  type OptionTable,
  type RequestHeaders,
  readOptions,
  sendableHeaders,
} from '../../engine/index'
import type { HttpTransport } from '../http/http-transport'
import type { RequestSettings } from '../http/request-settings'
import { JsonClient, type JsonRequest } from '../json/json-client'
import { type OperationName, USER_SUBSCRIPTION_SCOPE } from '../operations'
import { operationUrl, type ServiceProfile } from '../profile'
import { authorizedTransport, type TokenSource } from '../tokens/authorized-transport'
import { FeedDownload, type RangeTuning } from './feed-download'
import { type CheckMode, RequestChecks } from './request-checks'

/** The options of one call. */
export interface CallOptions {
  /** Ends the request and the waits around it with ABORTED. Default: none. */
  readonly signal?: AbortSignal
}

export const CALL_OPTIONS = { signal: is.any } satisfies OptionTable<CallOptions>

/** The values in the address and headers of a request. Undefined values are left out. */
export interface RequestParts {
  readonly identifiers?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | readonly string[] | undefined>>
  readonly marketplace?: string | undefined
}

export interface FileRequest<C extends Columns> extends RequestParts {
  readonly schema: FeedSchema<C>
  readonly file: FeedFile
  /** The identifiers that distinguish the file from others of its feed. */
  readonly names: readonly (string | undefined)[]
  readonly accept: string
}

/** The token of a request, where it is not that of the application for the operation alone. */
export interface TokenChoice {
  /** Gives the token of a user. */
  readonly user?: TokenSource | undefined
  /** Further scopes, after `{scopeBase}/`. */
  readonly scopes?: readonly string[]
}

export interface ServiceCoreParts {
  readonly profile: ServiceProfile
  readonly transport: HttpTransport
  readonly tokens: TokenSource
  readonly secrets: Secrets
  readonly settings: RequestSettings
  readonly checks: CheckMode
  readonly ranges: RangeTuning
}

export class ServiceCore {
  readonly json: JsonClient
  readonly #parts: ServiceCoreParts

  constructor(parts: ServiceCoreParts) {
    this.#parts = parts
    this.json = new JsonClient(parts.settings, parts.secrets)
  }

  get profile(): ServiceProfile {
    return this.#parts.profile
  }

  get settings(): RequestSettings {
    return this.#parts.settings
  }

  covered(error: FeedError): FeedError {
    return this.#parts.secrets.covered(error)
  }

  checks(operation: OperationName): RequestChecks {
    const { profile, checks: mode, settings } = this.#parts
    return new RequestChecks(operation, { profile, mode, now: settings.now })
  }

  url(operation: OperationName, { identifiers, query = {} }: RequestParts): string {
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) search.set(name, String(value))
    return operationUrl(this.profile, operation, identifiers, search)
  }

  /** Returns a JSON request. */
  request(
    operation: OperationName,
    parts: RequestParts,
    options: CallOptions = {},
    token: TokenChoice = {},
  ): JsonRequest {
    const { signal } = readOptions(options, CALL_OPTIONS)
    const url = this.url(operation, parts)
    return {
      operation,
      url,
      transport: this.#authorized(operation, token),
      headers: this.#headers(parts),
      signal,
    }
  }

  /** Returns a file that can be downloaded. */
  download<C extends Columns>(operation: OperationName, request: FileRequest<C>): FeedDownload<C> {
    const { secrets, settings, profile, ranges } = this.#parts
    const { responseTimeoutMs, now, retry } = settings
    return new FeedDownload<C>({
      operation,
      schema: request.schema,
      file: request.file,
      identifiers: request.names.filter(name => name !== undefined),
      source: {
        secrets,
        url: this.url(operation, request),
        transport: this.#authorized(operation),
        headers: { ...this.#headers(request), Accept: request.accept },
        maxRangeBytes: profile.maxRangeBytes,
        // The fetcher sees one request where the transports wait for a token, a turn and headers.
        headersTimeoutMs: responseTimeoutMs,
        now: () => new Date(now()),
        ...ranges,
        retry: { ...retry, ...ranges.retry },
      },
    })
  }

  #authorized(operation: OperationName, { user, scopes = [] }: TokenChoice = {}): HttpTransport {
    const { profile, transport, tokens, secrets, settings } = this.#parts
    const own = user ? USER_SUBSCRIPTION_SCOPE : profile.scopes[operation]
    const scope = [own, ...scopes].map(name => `${profile.scopeBase}/${name}`).join(' ')
    return authorizedTransport({
      operation,
      transport,
      tokens: user ?? tokens,
      scope,
      secrets,
      settings,
    })
  }

  #headers({ marketplace }: RequestParts): RequestHeaders {
    return marketplace === undefined
      ? {}
      : sendableHeaders({ [this.profile.marketplaceHeader]: marketplace })
  }
}

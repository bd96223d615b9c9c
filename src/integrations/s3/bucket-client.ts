// Sends signed requests to one bucket: as the transport of a RangeFetcher, which repeats what fails
// itself, and for the operations of lists and uploads, which are repeated here. Credentials that a
// server says have ended are asked for again, once a request.

import {
  askingToWait,
  asTransportError,
  is,
  mayPass,
  type OptionTable,
  optionInvalid,
  printableUrl,
  type RangeResponse,
  type RangeTransport,
  type ReportingTransport,
  Retries,
  type RetryOptions,
  type RetryPolicy,
  readErrorText,
  readOptions,
  retryPolicy,
  Secrets,
  sendInTime,
  timeLimit,
  watchedTransport,
} from '../../engine/index'
import { type NodeRequest, NodeTransport } from '../../service/index'
import { type BucketAddress, bucketAddress, bucketRoot, objectUrl } from './address'
import { CredentialsSource, type S3Credentials, type S3CredentialsProvider } from './credentials'
import { type Asked, bucketRefusal } from './s3-errors'
import { signed } from './sign'

/** How a store is reached. What is left out is read from the environment. */
export interface BucketOptions {
  /**
   * The address of a store that is not AWS, such as `https://storage.googleapis.com`. Its buckets
   * stand in the path. Default: AWS_ENDPOINT_URL_S3, or AWS.
   */
  readonly endpoint?: string | URL
  /** The region of the bucket, `auto` for R2. Default: AWS_REGION, or `us-east-1`. */
  readonly region?: string
  /**
   * The keys, or a function that returns them, and is called again before they end. Default:
   * AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or else the profile AWS_PROFILE
   * of the shared file `~/.aws/credentials`.
   */
  readonly credentials?: S3Credentials | S3CredentialsProvider
  /** When failing requests are repeated. Default: the defaults of each option. */
  readonly retry?: RetryOptions
  /** The limit of one request with its answer, a part of an upload included. Default 120,000. */
  readonly timeoutMs?: number
  /** Sends the requests. The caller has to close it. Default: one of its own. */
  readonly transport?: NodeTransport
}

export const BUCKET = {
  endpoint: [is.any],
  region: [is.filledText],
  credentials: [is.any],
  retry: retryPolicy,
  timeoutMs: [is.durationMs(), 120_000],
  transport: [is.withMethods<NodeTransport>('send')],
} satisfies OptionTable<BucketOptions>

/** A request as it is before it is signed. */
export interface BucketRequest extends Pick<NodeRequest, 'method' | 'body' | 'headers'> {
  readonly operation: string
  /** Default: the whole bucket. */
  readonly key?: string
  readonly parameters?: Readonly<Record<string, string>>
}

/** The answer to an operation: a whole body of text, or the beginning of one that was cut. */
export interface BucketAnswer extends Asked {
  readonly status: number
  readonly text: string
  header(name: string): string | undefined
}

/** Statuses that the caller judges: 304, 412 and 416 answer what a request with conditions asks. */
const JUDGED: ReadonlySet<number> = new Set([200, 204, 206, 304, 412, 416])
/** What a status of success may have behind it. */
const REFUSAL = /^\s*(?:<\?xml[^>]*>\s*)?<Error[\s>]/
/** A page of a list has 1,000 keys of 1,024 bytes at most, which are encoded. */
const MOST_ANSWER_BYTES = 16 * 2 ** 20

export class BucketClient implements RangeTransport, ReportingTransport {
  readonly reportsRequests = true
  readonly address: BucketAddress
  readonly #root: URL
  readonly #region: string
  readonly #credentials: CredentialsSource
  readonly #retry: RetryPolicy
  readonly #timeoutMs: number
  readonly #secrets = new Secrets()
  readonly #transport: { send(request: NodeRequest): Promise<RangeResponse> }

  /** @throws FeedError OPTION_INVALID */
  constructor(address: string, options: BucketOptions, option = 'address') {
    const env = process.env
    const read = readOptions(options, BUCKET)
    const { endpoint = env.AWS_ENDPOINT_URL_S3 || undefined } = read
    this.#region = read.region ?? (env.AWS_REGION || 'us-east-1')
    if (!/^[\w-]+$/.test(this.#region))
      throw optionInvalid('region', 'the name of a region', this.#region)
    this.address = bucketAddress(option, address)
    this.#root = bucketRoot(this.address.bucket, this.#region, endpoint)
    this.#credentials = new CredentialsSource(read.credentials)
    this.#retry = read.retry
    this.#timeoutMs = read.timeoutMs
    this.#transport = watchedTransport(read.transport ?? new NodeTransport(), this.#secrets)
  }

  /** The key of one object. @throws FeedError OPTION_INVALID */
  get objectKey(): string {
    const { key, bucket } = this.address
    if (key !== '' && !key.endsWith('/')) return key
    throw optionInvalid(
      'address',
      'that of one object, such as s3://bucket/key',
      `s3://${bucket}/${key}`,
    )
  }

  /** @throws FeedError OPTION_INVALID for a key that no address has */
  urlOf(key: string, parameters?: BucketRequest['parameters']): URL {
    return objectUrl(this.#root, key, parameters)
  }

  /**
   * Sends one request of a RangeFetcher, which judges the answer.
   * @throws FeedError HTTP_STATUS, HTTP_TRANSPORT, TOKEN_REFUSED; OPTION_INVALID for an address outside
   * of the bucket, which gets no signature
   */
  async send(request: NodeRequest): Promise<RangeResponse> {
    const { etag, headers, url: given, ...rest } = request
    const url = new URL(given).href
    if (!url.startsWith(this.#root.href))
      throw optionInvalid('url', `an address in the bucket ${this.address.bucket}`, '')
    const conditions = etag !== undefined && { 'If-Match': etag }
    const sent = { ...rest, url, headers: { ...headers, ...conditions } }
    const response = await this.#sendSigned('GetObject', sent)
    if (response.status !== 416 || response.header('content-range') !== undefined) return response
    // Not every store says the size with this status, which an empty object has for every range.
    const head = { ...rest, method: 'HEAD', url, headers: {} } as const
    const { header, discard } = await this.#sendSigned('HeadObject', head)
    discard()
    const total = `bytes */${header('content-length') ?? ''}`
    return {
      ...response,
      header: name => (name === 'content-range' ? total : response.header(name)),
    }
  }

  /**
   * Does an operation, and does it again while its failure may pass, also where `use` does not
   * understand the answer.
   */
  async ask<T>(
    request: BucketRequest,
    signal: AbortSignal,
    use: (answer: BucketAnswer) => T,
  ): Promise<T> {
    const url = () => printableUrl(this.urlOf(request.key ?? '', request.parameters))
    const retries = new Retries(this.#retry, signal, url, this.#secrets)
    for (;;) {
      try {
        return use(await this.askOnce(request, signal))
      } catch (error) {
        signal.throwIfAborted()
        if (!mayPass(error, signal) || !(await retries.again(error))) throw error
      }
    }
  }

  async askOnce(request: BucketRequest, signal: AbortSignal): Promise<BucketAnswer> {
    const { operation, key = '', parameters, ...rest } = request
    const url = this.urlOf(key, parameters).href
    const limits = timeLimit('response', { url, signal, limitMs: this.#timeoutMs })
    const sender = { send: (sent: NodeRequest) => this.#sendSigned(operation, sent) }
    const response = await sendInTime(sender, { ...rest, url, signal }, limits)
    const text = await readErrorText(response, limits, MOST_ANSWER_BYTES)
    const asked = { operation, url: printableUrl(url) }
    if (response.status >= 300 || REFUSAL.test(text))
      throw this.#refused(bucketRefusal(response, asked, text))
    return { ...asked, status: response.status, text, header: response.header }
  }

  async #sendSigned(operation: string, request: NodeRequest): Promise<RangeResponse> {
    const { url, redirectOrigins: _, ...rest } = request
    try {
      let credentials = await this.#credentials.current()
      for (let isFirst = true; ; isFirst = false) {
        const response = this.#covered(
          await this.#transport.send({
            ...rest,
            url,
            headers: this.#headers(request, credentials),
          }),
        )
        if (JUDGED.has(response.status)) return response
        const wait = { url, signal: request.signal, limitMs: this.#timeoutMs }
        const text = await readErrorText(response, timeLimit('wholeBody', wait))
        const refusal = bucketRefusal(response, { operation, url: printableUrl(url) }, text)
        const ended = credentials
        if (refusal.isOfEndedCredentials && isFirst)
          credentials = await this.#credentials.renewed(ended)
        if (credentials === ended) throw this.#refused(refusal)
      }
    } catch (error) {
      throw this.#secrets.covered(asTransportError(error, printableUrl(url)))
    }
  }

  #headers({ method = 'GET', url, headers, body = '', secrets }: NodeRequest, keys: S3Credentials) {
    const request = { method, url: new URL(url), headers, body }
    const sent = signed(request, keys, this.#region, new Date())
    const { secretAccessKey, sessionToken = '' } = keys
    for (const told of [this.#secrets, secrets ?? this.#secrets]) {
      told.rememberForGood(secretAccessKey)
      told.remember(sessionToken)
      told.remember(sent.Authorization!.replace(/^.*Signature=/, ''))
    }
    return sent
  }

  /** A header that repeats a secret counts as none. */
  #covered(response: RangeResponse): RangeResponse {
    const headerOf = response.header.bind(response)
    const header = (name: string) => {
      const value = headerOf(name)
      return value === undefined || this.#secrets.cover(value) === value ? value : undefined
    }
    return Object.assign(response, { header })
  }

  #refused({ error, retryAfterMs }: ReturnType<typeof bucketRefusal>): Error {
    return askingToWait(this.#secrets.covered(error), retryAfterMs)
  }
}

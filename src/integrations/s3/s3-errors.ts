// What the refusals of a store mean, and what to do about them. A refusal is an XML document, also
// where its status is a success.

import { excerpt, FeedError, type RangeResponse, readRefusal } from '../../engine/index'
import { readXml, textIn, type XmlElement } from './xml'

/** What was asked for, for errors. */
export interface Asked {
  readonly operation: string
  /** The printable address. */
  readonly url: string
}

/** The codes of credentials that have ended. */
const ENDED = /^(?:ExpiredToken|ExpiredTokenException|TokenRefreshRequired)$/
/** The codes of failures that may pass, whatever their status. */
const PASSING =
  /^(?:InternalError|SlowDown|ServiceUnavailable|RequestTimeout|OperationAborted|Throttling\w*)$/

const REMEDIES: Readonly<Record<string, string>> = {
  AccessDenied: 'look whether the credentials may do this in this bucket',
  InvalidAccessKeyId: 'check AWS_ACCESS_KEY_ID, or whose keys the credentials are',
  SignatureDoesNotMatch: 'check the secret access key and the endpoint',
  RequestTimeTooSkewed: 'set the clock of this machine',
  ExpiredToken: 'renew the credentials, or give a function that does',
  NoSuchBucket: 'check the name of the bucket and the endpoint',
  NoSuchKey: 'check the key, to the letter',
}

export interface BucketRefusal {
  readonly error: FeedError<'HTTP_STATUS'>
  readonly isOfEndedCredentials: boolean
  readonly retryAfterMs: number | undefined
}

/** @param text the body, or the beginning of it */
export function bucketRefusal(response: RangeResponse, asked: Asked, text: string): BucketRefusal {
  const xml = readXml(text)
  const said = xml?.name === 'Error' ? xml : undefined
  const code = textIn(said, 'Code')
  const told = textIn(said, 'Message')
  const stated = response.header('x-amz-bucket-region') ?? textIn(said, 'Region')
  // A store may state the region of any bucket that it refuses.
  const region = response.status <= 400 ? stated : undefined
  const { error, retryAfterMs } = readRefusal(response, asked, Date.now())
  const message = excerpt([code, told].filter(Boolean).join(': '), 200)
  const remedy = region ? `its region is ${excerpt(region, 40)}` : remedyOf(code, response.status)
  const words = [`status ${response.status}`, message, remedy].filter(Boolean).join(': ')
  const retryable = error.retryable || PASSING.test(code ?? '')
  const context = { ...error.context, ...(message && { message }) }
  return {
    error: new FeedError('HTTP_STATUS', `${asked.operation}: ${words}`, context, { retryable }),
    isOfEndedCredentials: ENDED.test(code ?? ''),
    retryAfterMs,
  }
}

function remedyOf(code: string | undefined, status: number): string | undefined {
  const known = code !== undefined && Object.hasOwn(REMEDIES, code) ? REMEDIES[code] : undefined
  return known ?? (status === 403 ? REMEDIES.AccessDenied : undefined)
}

/** Returns the error of an answer that is not the documented one: it may have been cut. */
export function answerInvalid({ operation, url }: Asked, path: string, reason: string): FeedError {
  const message = `${operation}: ${path} ${reason}`
  const context = { operation, url, path, reason }
  return new FeedError('RESPONSE_INVALID', message, context, { retryable: true })
}

/** Returns the root of an answer. @throws FeedError RESPONSE_INVALID */
export function rootOf(text: string, name: string, asked: Asked): XmlElement {
  const root = readXml(text)
  if (root?.name === name) return root
  throw answerInvalid(asked, 'the answer', `is no whole document ${name}: ${excerpt(text)}`)
}

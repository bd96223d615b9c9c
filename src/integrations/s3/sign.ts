// Signs a request by its headers: Signature Version 4 of the S3 interface, as all stores with that
// interface take it. The time and the credentials are the caller's.

import { createHash, createHmac } from 'node:crypto'
import type { RequestHeaders } from '../../engine/index'
import type { S3Credentials } from './credentials'

const ALGORITHM = 'AWS4-HMAC-SHA256'
/** A header that proxies change. */
const UNSIGNED = 'accept-encoding'

export interface Signable {
  readonly method: string
  /** Its path and its parameters are in the form of {@link strictlyEncoded}. */
  readonly url: URL
  readonly headers: RequestHeaders
  readonly body: string | Uint8Array
}

/** Returns the headers of the request with its signature, which the server takes for 15 minutes. */
export function signed(
  { method, url, headers, body }: Signable,
  { accessKeyId, secretAccessKey, sessionToken }: S3Credentials,
  region: string,
  now: Date,
): RequestHeaders {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '')
  const scope = [time.slice(0, 8), region, 's3', 'aws4_request']
  const sent: RequestHeaders = {
    ...headers,
    'x-amz-content-sha256': sha256(body),
    'x-amz-date': time,
    ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
  }
  const fields = Object.entries({ ...sent, host: url.host })
    .map(([name, value]) => [name.toLowerCase(), value.trim().replace(/ +/g, ' ')] as const)
    .filter(([name]) => name !== UNSIGNED)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const names = fields.map(([name]) => name).join(';')
  const lines = fields.map(([name, value]) => `${name}:${value}\n`).join('')
  const request = [method, url.pathname, url.search.slice(1), lines, names, sha256(body)]
  const text = [ALGORITHM, time, scope.join('/'), sha256(request.join('\n'))].join('\n')
  const key = scope.reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`)
  const credential = `Credential=${accessKeyId}/${scope.join('/')}`
  const signature = hmac(key, text).toString('hex')
  return {
    ...sent,
    Authorization: `${ALGORITHM} ${credential}, SignedHeaders=${names}, Signature=${signature}`,
  }
}

/** Returns the text with all but letters, digits and `-._~` percent-encoded, as signatures have it. */
export function strictlyEncoded(text: string): string {
  const hex = (letter: string) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`
  return encodeURIComponent(text).replace(/[!'()*]/g, hex)
}

/** Returns parameters in the order of their names, in which they are signed. */
export function signableQuery(parameters: Readonly<Record<string, string>>): string {
  return Object.entries(parameters)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${strictlyEncoded(name)}=${strictlyEncoded(value)}`)
    .join('&')
}

function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

// The address s3://bucket/key, and the addresses of HTTP under which a store has the bucket.

import { is, optionInvalid, requestUrl } from '../../engine/index'
import { signableQuery, strictlyEncoded } from './sign'

/** A bucket with a key in it, or the beginning of keys. */
export interface BucketAddress {
  readonly bucket: string
  readonly key: string
}

const BUCKET = /^s3:\/\/([a-z\d][\w.-]{1,62})(?:\/(.*))?$/is

/**
 * Reads s3://bucket/key. The key stands there as it is: nothing in it is encoded.
 * @throws FeedError OPTION_INVALID
 */
export function bucketAddress(option: string, address: string): BucketAddress {
  const [, bucket, key = ''] = BUCKET.exec(is.anyText(option, address)) ?? []
  if (bucket !== undefined && key.isWellFormed()) return { bucket, key }
  throw optionInvalid(option, 'an address such as s3://bucket/key', address.split(/[?#@]/, 1)[0])
}

/** Returns the root of a bucket: in the host for AWS, and in the path for any other store. */
export function bucketRoot(
  bucket: string,
  region: string,
  endpoint: string | URL | undefined,
): URL {
  const store = requestUrl('endpoint', endpoint ?? `https://s3.${region}.amazonaws.com`)
  // The certificate of AWS has no name with more dots.
  const isInHost = endpoint === undefined && /^[a-z\d-]+$/.test(bucket)
  if (isInHost) return new URL(`https://${bucket}.${store.host}/`)
  const path = store.pathname.endsWith('/') ? store.pathname : `${store.pathname}/`
  return new URL(`${path}${bucket}/`, store)
}

/** @throws FeedError OPTION_INVALID for a key that no address has, because of a part `.` or `..` */
export function objectUrl(
  root: URL,
  key: string,
  parameters: Readonly<Record<string, string>> = {},
): URL {
  const query = signableQuery(parameters)
  const path = key.split('/').map(strictlyEncoded).join('/')
  if (/(?:^|\/)\.\.?(?:\/|$)/.test(key))
    throw optionInvalid('key', 'a key without the parts `.` and `..`', key)
  // A key may begin with a slash, which would begin at the root of the host.
  return new URL(`${root.href}${path}${query && `?${query}`}`)
}

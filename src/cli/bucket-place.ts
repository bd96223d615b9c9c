// Objects of buckets, s3://bucket/key, among the places that commands read and write. The environment
// says how their store is reached.

import {
  type ByteTarget,
  ChunkReassembler,
  type NodeTransport,
  type Pipeline,
  pipeline,
  RangeFetcher,
  type RangeTransport,
} from '../index'
import { usageError } from './usage-error'

/**
 * Tells whether a place is an object. A key may have a question mark; on a command line what follows
 * one is rather a credential.
 * @throws FeedError OPTION_INVALID
 */
function isObject(place: string): boolean {
  if (!/^s3:\/\//i.test(place)) return false
  if (!place.includes('?')) return true
  throw usageError('the address', 's3://bucket/key without parameters', 'one with a question mark')
}

/** Returns where a place is read by HTTP, and what sends its requests; any other place as it is. */
export async function readablePlace(
  from: string,
  transport: NodeTransport,
): Promise<{ readonly from: string; readonly transport: RangeTransport }> {
  if (!isObject(from)) return { from, transport }
  const { bucketObject } = await import('../s3')
  const { url, transport: signing } = bucketObject(from, { transport })
  return { from: url.href, transport: signing }
}

/** Returns the blocks of an object; any other place as it is. */
export async function inspectablePlace(place: string): Promise<string | Pipeline<Uint8Array>> {
  if (!isObject(place)) return place
  const { bucketObject } = await import('../s3')
  return pipeline(() => new RangeFetcher(bucketObject(place))).to(() => new ChunkReassembler())
}

/** Returns an object as the target of a sink; any other place as it is. */
export async function writablePlace(place: string): Promise<string | ByteTarget> {
  return isObject(place) ? (await import('../s3')).bucketTarget(place) : place
}

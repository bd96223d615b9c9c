// An object of a bucket as the target of a sink.

import { type ByteTarget, is, type OptionTable, readOptions } from '../../engine/index'
import { BUCKET, BucketClient, type BucketOptions } from './bucket-client'
import { BucketUpload } from './bucket-upload'

const MIB = 2 ** 20

export interface BucketTargetOptions extends BucketOptions {
  /**
   * The size of the parts of the object. Two are under way while a third one is filled, and an object
   * has 10,000 at most. Default 8 MiB. Bounds: 5 MiB to 256 MiB.
   */
  readonly partBytes?: number
}

const OPTIONS = {
  ...BUCKET,
  partBytes: [is.wholeNumber(5 * MIB, 256 * MIB), 8 * MIB],
} satisfies OptionTable<BucketTargetOptions>

/**
 * Makes the target of a sink of bytes: an object that appears, or replaces the one of its key, when
 * the run has succeeded. It is uploaded in parts of one size; before the run ends, and after a
 * failure, nobody sees any of it.
 *
 * A killed run leaves parts that nobody sees. The next run to the same key aborts every upload to it
 * that its user has begun before, so two runs must not write one key at a time: the later one wins,
 * and the other one fails.
 * @param address `s3://bucket/key`; nothing in the key is encoded
 * @throws FeedError OPTION_INVALID; the sink then fails with SINK_FAILED, whose cause is HTTP_STATUS,
 * HTTP_TRANSPORT, HTTP_TIMEOUT, RESPONSE_INVALID or TOKEN_REFUSED
 * @example
 * ```ts
 * import { ndjsonSink, pipeline } from 'feedmill'
 * import { bucketTarget } from 'feedmill/s3'
 *
 * const target = bucketTarget('s3://shop/exports/stock.ndjson.gz', { region: 'eu-central-1' })
 * const sink = ndjsonSink(target, { compress: 'gzip' })
 * console.log(sink.name, target.address)
 * // => ndjson s3://shop/exports/stock.ndjson.gz
 * ```
 */
export function bucketTarget(address: string, options: BucketTargetOptions = {}): ByteTarget {
  const { partBytes } = readOptions(options, OPTIONS)
  const { partBytes: _, ...bucket } = options
  const client = new BucketClient(address, bucket)
  client.urlOf(client.objectKey)
  return {
    address,
    openDestination: () => new BucketUpload(client, partBytes).open(),
  }
}

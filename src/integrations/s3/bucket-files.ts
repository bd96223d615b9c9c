// The objects of a bucket as the files of a feed of one's own, and one object as what a RangeFetcher
// downloads.

import { is, type OptionTable, type RangeTransport, readOptions } from '../../engine/index'
import {
  type FeedSource,
  type FileNaming,
  fileNamer,
  NAMING,
  type SourceFile,
} from '../../sync/index'
import { BUCKET, BucketClient, type BucketOptions } from './bucket-client'
import { listed } from './bucket-list'

export interface BucketFilesOptions extends BucketOptions, FileNaming {
  /**
   * `s3://bucket/prefix`: a file is an object whose key begins so, and its name is what follows.
   * Without `full` and `changes`, one object whose content is replaced from time to time.
   */
  readonly bucket: string
}

const OPTIONS = {
  ...BUCKET,
  ...NAMING,
  bucket: is.filledText,
} satisfies OptionTable<BucketFilesOptions>

/** The parts of a {@link FeedSource} that say where its files are. */
export type BucketFiles = Required<Pick<FeedSource, 'files' | 'transport'>>

/**
 * Makes `files` and `transport` of a {@link FeedSource} for the objects of a bucket. As in a folder, a
 * file has its name and its time as its identifier, so an object that is replaced, and gets another
 * time, is applied as a new file. Each is read by signed ranges, all of one entity tag.
 * @throws FeedError OPTION_INVALID; the list then fails with HTTP_STATUS, HTTP_TRANSPORT, HTTP_TIMEOUT,
 * TOKEN_REFUSED, or RESPONSE_INVALID for a page that was cut or contradicts itself
 * @example
 * ```ts
 * import { bucketFiles } from 'feedmill/s3'
 *
 * const bucket = 's3://shop/exports/'
 * const source = bucketFiles({ bucket, full: 'stock-*.tsv.gz', region: 'eu-central-1' })
 * console.log(Object.keys(source).join())
 * // => files,transport
 * ```
 */
export function bucketFiles(options: BucketFilesOptions): BucketFiles {
  const { bucket, full, changes, timeOf } = readOptions(options, OPTIONS)
  const { bucket: _, full: _f, changes: _c, timeOf: _t, ...reached } = options
  const client = new BucketClient(bucket, reached, 'bucket')
  const prefix = client.address.key
  if (full === undefined && changes === undefined) {
    const { url, transport } = bucketObject(bucket, reached)
    return { files: url, transport }
  }
  const fileOf = fileNamer({ full, changes, timeOf })
  const files = async ({ signal }: { readonly signal: AbortSignal }) => {
    const found: SourceFile[] = []
    for await (const { key, at } of listed(client, 'objects', prefix, signal)) {
      const name = key.slice(prefix.length)
      // An object that stands for a folder has no bytes.
      const file = name.endsWith('/') ? undefined : await fileOf(name, () => at)
      if (file !== undefined) found.push({ ...file, from: client.urlOf(key) })
    }
    return found
  }
  return { files, transport: client }
}

/**
 * Makes what a RangeFetcher, `inspect` or another reader by HTTP needs for one object: its address, and
 * a transport that signs requests. Each range asks for the entity tag of the first one (If-Match), so
 * an object that is replaced meanwhile is RANGE_FILE_REPLACED.
 * @param address `s3://bucket/key`; nothing in the key is encoded
 * @throws FeedError OPTION_INVALID
 * @example
 * ```ts
 * import { bucketObject } from 'feedmill/s3'
 *
 * const { url } = bucketObject('s3://shop/a & b.tsv', { endpoint: 'https://minio.example:9000' })
 * console.log(url.href)
 * // => https://minio.example:9000/shop/a%20%26%20b.tsv
 * ```
 */
export function bucketObject(
  address: string,
  options: BucketOptions = {},
): { readonly url: URL; readonly transport: RangeTransport } {
  const client = new BucketClient(address, options)
  return { url: client.urlOf(client.objectKey), transport: client }
}

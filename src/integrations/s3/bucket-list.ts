// Lists the objects whose keys begin with a text (ListObjectsV2), or the uploads to such keys that
// nobody has completed (ListMultipartUploads), page by page. A page that was cut or contradicts itself
// is asked for again and then an error: a part of a list would look like a whole one.

import { readInstant } from '../../engine/index'
import type { BucketAnswer, BucketClient } from './bucket-client'
import { answerInvalid, rootOf } from './s3-errors'
import { textIn } from './xml'

/** An object, or an upload to its key. */
export interface Listed {
  readonly key: string
  /** When the object was written last, or the upload begun. */
  readonly at: Date
  /** Undefined for an object. */
  readonly uploadId: string | undefined
  /** Who has begun the upload; undefined where the store does not say so. */
  readonly initiator: string | undefined
}

/**
 * What each list is made of: the names of its elements, the parameters of its request, and those of
 * the request for the next page with the elements that say their values.
 */
const LISTS = {
  objects: {
    operation: 'ListObjectsV2',
    root: 'ListBucketResult',
    element: 'Contents',
    time: 'LastModified',
    parameters: { 'list-type': '2', 'encoding-type': 'url' },
    next: [['continuation-token', 'NextContinuationToken']],
  },
  // Not every store that encodes the keys of this list says so, and without that nobody can tell.
  uploads: {
    operation: 'ListMultipartUploads',
    root: 'ListMultipartUploadsResult',
    element: 'Upload',
    time: 'Initiated',
    parameters: { uploads: '' },
    next: [
      ['key-marker', 'NextKeyMarker'],
      ['upload-id-marker', 'NextUploadIdMarker'],
    ],
  },
} as const
type List = (typeof LISTS)[keyof typeof LISTS]
type Parameters = Readonly<Record<string, string>>

export async function* listed(
  client: BucketClient,
  what: keyof typeof LISTS,
  prefix: string,
  signal: AbortSignal,
): AsyncGenerator<Listed, void, void> {
  const list = LISTS[what]
  let next: Parameters | undefined = {}
  while (next !== undefined) {
    const at: Parameters = next
    const parameters = { ...list.parameters, prefix, ...at }
    const request = { operation: list.operation, parameters, headers: {} }
    const page = await client.ask(request, signal, answer => pageOf(answer, list, at))
    yield* page.found
    next = page.next
  }
}

function pageOf(answer: BucketAnswer, { root: name, element, time, next }: List, at: Parameters) {
  const root = rootOf(answer.text, name, answer)
  const isEncoded = textIn(root, 'EncodingType') === 'url'
  const given = <T>(field: string, value: T | undefined, problem: string): T => {
    if (value !== undefined) return value
    throw answerInvalid(answer, field, problem)
  }
  const found = root.children.flatMap((child): Listed[] => {
    if (child.name !== element) return []
    const key = given('Key', textIn(child, 'Key'), 'is missing')
    const initiator = child.children.find(({ name }) => name === 'Initiator')
    return [
      {
        key: isEncoded ? given('Key', decoded(key), 'is not percent-encoded') : key,
        at: given(time, readInstant(textIn(child, time) ?? ''), 'is no time'),
        uploadId: textIn(child, 'UploadId'),
        initiator: textIn(initiator, 'ID'),
      },
    ]
  })
  const isTruncated = textIn(root, 'IsTruncated')
  if (isTruncated === 'false') return { found, next: undefined }
  const isWhole = isTruncated === 'true' || undefined
  given('IsTruncated', isWhole, 'is neither true nor false')
  const pairs = next.map(([parameter, field]) => {
    return [parameter, given(field, textIn(root, field), 'is missing')] as const
  })
  const isOther = pairs.some(([parameter, value]) => at[parameter] !== value) || undefined
  given(next[0][1], isOther, 'leads back to the same page')
  return { found, next: Object.fromEntries(pairs) }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

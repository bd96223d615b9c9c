// An object that is written in parts, and that is there as a whole or not at all: until the store has
// completed an upload, nobody sees its parts.
//
//   open       the upload is begun, with a text of its own in the metadata of the object. Uploads to
//              the same key that the same user began before are aborted: a killed run has left them,
//              and nothing else shows that an open upload is of feedmill, because no list has its
//              metadata
//   write      parts of one size, two of them under way while the next one is filled
//   prepare    the last part
//   commit     the store completes the upload. What the answer does not say, because it is lost or is
//              a failure behind a status of success, the metadata of the object does. Where they do
//              not either, the upload is aborted, behind which no late success can come
//   abort      the store removes the parts

import { randomUUID } from 'node:crypto'
import { aborted, type Destination, FeedError, sinkFailed } from '../../engine/index'
import type { BucketClient, BucketRequest } from './bucket-client'
import { type Listed, listed } from './bucket-list'
import { answerInvalid, rootOf } from './s3-errors'
import { textIn, xmlText } from './xml'

/** The limit of the S3 interface. */
const MOST_PARTS = 10_000
const IN_FLIGHT = 2
const MARK = 'x-amz-meta-feedmill-upload'

export class BucketUpload implements Destination {
  readonly #client: BucketClient
  readonly #partBytes: number
  readonly #mark = randomUUID()
  readonly #stop = new AbortController()
  #id = ''
  /** The entity tags of the parts, each of which resolves when its part is there. */
  readonly #parts: Promise<string>[] = []
  /** The memory of parts: one that is filled, and those under way. */
  readonly #blocks: Uint8Array[] = []
  #filledBytes = 0
  mayBeInPlace = false

  constructor(client: BucketClient, partBytes: number) {
    this.#client = client
    this.#partBytes = partBytes
  }

  async open(): Promise<this> {
    const { signal } = this.#stop
    const begin = this.#request('CreateMultipartUpload', 'POST', { uploads: '' })
    this.#id = await this.#client.ask(
      { ...begin, headers: { [MARK]: this.#mark } },
      signal,
      answer => {
        const root = rootOf(answer.text, 'InitiateMultipartUploadResult', answer)
        const id = textIn(root, 'UploadId')
        if (id) return id
        throw answerInvalid(answer, 'UploadId', 'is missing')
      },
    )
    await this.#abortEarlier()
    return this
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const some = bytes.subarray(at, at + this.#partBytes - this.#filledBytes)
      this.#block.set(some, this.#filledBytes)
      this.#filledBytes += some.length
      at += some.length
      if (this.#filledBytes === this.#partBytes) await this.#sendPart()
    }
  }

  async prepare(): Promise<void> {
    // An object without bytes is one empty part.
    if (this.#filledBytes > 0 || this.#parts.length === 0) await this.#sendPart()
    await Promise.all(this.#parts)
  }

  async commit(): Promise<void> {
    const tags = await Promise.all(this.#parts)
    const parts = tags.map(
      (tag, n) => `<Part><PartNumber>${n + 1}</PartNumber><ETag>${xmlText(tag)}</ETag></Part>`,
    )
    const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
    const complete = { ...this.#request('CompleteMultipartUpload', 'POST'), body }
    try {
      // An answer that is lost leads to NoSuchUpload, and that to the metadata.
      await this.#client.ask(complete, this.#stop.signal, answer =>
        rootOf(answer.text, 'CompleteMultipartUploadResult', answer),
      )
    } catch (error) {
      if (!(await this.#isInPlaceAfterAll())) throw error
    }
  }

  async abort(): Promise<void> {
    this.#stop.abort(aborted('pipeline', 'the upload was aborted', undefined))
    // The store may keep a part that comes behind the abort.
    await Promise.allSettled(this.#parts)
    if (this.#id !== '') await this.#remove(this.#id)
  }

  get #block(): Uint8Array {
    const n = this.#parts.length % (IN_FLIGHT + 1)
    return (this.#blocks[n] ??= Buffer.allocUnsafeSlow(this.#partBytes))
  }

  async #sendPart(): Promise<void> {
    const number = this.#parts.length + 1
    if (number > MOST_PARTS) {
      const most = `${MOST_PARTS} parts of ${this.#partBytes} bytes`
      const cause = new RangeError(`more than ${most}, the limit of an object: raise partBytes`)
      throw sinkFailed('bucket', this.#key, cause)
    }
    const request = this.#request('UploadPart', 'PUT', { partNumber: String(number) })
    const body = this.#block.subarray(0, this.#filledBytes)
    const part = this.#client.ask({ ...request, body }, this.#stop.signal, answer => {
      const tag = answer.header('etag')
      if (tag) return tag
      throw answerInvalid(answer, 'ETag', 'is missing')
    })
    part.catch(() => {})
    this.#parts.push(part)
    this.#filledBytes = 0
    // The next part has the memory of an earlier one.
    await this.#parts[number - 1 - IN_FLIGHT]
  }

  /** Ends an upload whose completion has failed, and tells whether it was completed all the same. */
  async #isInPlaceAfterAll(): Promise<boolean> {
    const head = this.#request('HeadObject', 'HEAD')
    try {
      await this.#remove(this.#id)
      return await this.#client.ask(head, NEVER, ({ header }) => header(MARK) === this.#mark)
    } catch (error) {
      this.mayBeInPlace = !isMissing(error)
      return false
    }
  }

  async #abortEarlier(): Promise<void> {
    const { signal } = this.#stop
    const uploads: Listed[] = []
    try {
      for await (const upload of listed(this.#client, 'uploads', this.#key, signal)) {
        // Keys come in their order, and this one is the first that begins so.
        if (upload.key !== this.#key) break
        uploads.push(upload)
      }
      const own = uploads.find(({ uploadId }) => uploadId === this.#id)
      for (const { uploadId, initiator, at } of uploads)
        if (uploadId && own && initiator === own.initiator && at < own.at)
          await this.#remove(uploadId)
    } catch {
      // Not every store has the list, nor every user the right to it.
    }
  }

  async #remove(id: string): Promise<void> {
    const request = this.#request('AbortMultipartUpload', 'DELETE', {}, id)
    try {
      await this.#client.ask(request, NEVER, answer => {
        // Whatever answers otherwise is no store, and says nothing about the upload.
        if (answer.status !== 204) throw answerInvalid(answer, 'the answer', 'has no status 204')
      })
    } catch (error) {
      if (!isMissing(error)) throw error
    }
  }

  get #key(): string {
    return this.#client.address.key
  }

  #request(
    operation: string,
    method: NonNullable<BucketRequest['method']>,
    parameters: BucketRequest['parameters'] = {},
    uploadId = this.#id,
  ): BucketRequest {
    const ofUpload = method !== 'HEAD' && uploadId !== '' && { uploadId }
    return {
      operation,
      method,
      key: this.#key,
      parameters: { ...parameters, ...ofUpload },
      headers: {},
    }
  }
}

/** Repeats end these waits: what a run leaves behind is removed after an abort, too. */
const NEVER = new AbortController().signal

function isMissing(error: unknown): boolean {
  return FeedError.is(error) && error.code === 'HTTP_STATUS' && error.context.status === 404
}

// A bucket of a test of its own, which the test removes, and a plain client to look into it.

import { randomBytes } from 'node:crypto'
import { BucketClient } from '../../../src/integrations/s3/bucket-client'
import { listed } from '../../../src/integrations/s3/bucket-list'
import type { BucketOptions } from '../../../src/s3'
import { SERVICES } from '../../services'

const NEVER = new AbortController().signal
const { username, password, origin } = new URL(SERVICES.s3.url)

export const CREDENTIALS = { accessKeyId: username, secretAccessKey: password }
/** Repeats that take no time. */
export const QUICK = { patienceMs: 5, backoffBaseMs: 1, backoffCapMs: 2, retryAfterCapMs: 2 }

export class TestBucket {
  readonly name = `test-${randomBytes(6).toString('hex')}`
  readonly options: Required<Pick<BucketOptions, 'credentials' | 'endpoint' | 'retry'>> = {
    endpoint: origin,
    credentials: CREDENTIALS,
    retry: QUICK,
  }
  readonly #client = new BucketClient(`s3://${this.name}/`, this.options)

  static async made(): Promise<TestBucket> {
    const bucket = new TestBucket()
    await bucket.#do('PUT')
    return bucket
  }

  addressOf(key: string): string {
    return `s3://${this.name}/${key}`
  }

  async put(key: string, body: string | Uint8Array): Promise<void> {
    await this.#do('PUT', key, body)
  }

  /** Returns undefined for an object that is not there. */
  async get(key: string): Promise<string | undefined> {
    const url = this.#client.urlOf(key).href
    try {
      const { body } = await this.#client.send({ url, headers: {}, signal: NEVER })
      const parts: Uint8Array[] = []
      for await (const part of body) parts.push(part)
      return Buffer.concat(parts).toString()
    } catch (error) {
      if ((error as { context?: { status?: number } }).context?.status === 404) return undefined
      throw error
    }
  }

  async remove(key: string): Promise<void> {
    await this.#do('DELETE', key)
  }

  async keys(): Promise<string[]> {
    const keys: string[] = []
    for await (const { key } of listed(this.#client, 'objects', '', NEVER)) keys.push(key)
    return keys
  }

  /** The keys of the uploads that are neither completed nor aborted. */
  async uploads(): Promise<string[]> {
    const keys: string[] = []
    for await (const { key } of listed(this.#client, 'uploads', '', NEVER)) keys.push(key)
    return keys
  }

  async drop(): Promise<void> {
    for await (const { key, uploadId = '' } of listed(this.#client, 'uploads', '', NEVER))
      await this.#do('DELETE', key, undefined, { uploadId })
    await this.clear()
    await this.#do('DELETE')
  }

  /** Removes all objects, several at a time. */
  async clear(): Promise<void> {
    const keys = await this.keys()
    const remove = async () => {
      for (let key = keys.pop(); key !== undefined; key = keys.pop()) await this.remove(key)
    }
    await Promise.all([remove(), remove(), remove(), remove(), remove(), remove()])
  }

  async #do(
    method: 'PUT' | 'DELETE',
    key = '',
    body: string | Uint8Array = '',
    parameters: Record<string, string> = {},
  ): Promise<void> {
    const request = { operation: method, method, key, body, parameters, headers: {} }
    await this.#client.askOnce(request, NEVER)
  }
}

// One place whose content is replaced from time to time. A run asks it for what came since the file
// that was applied last, and each content is a full file of its own.
//
//   id     the time of the content, a blank, and its tag
//   tag    what proves that the content is the same: its entity tag, or a Last-Modified that is a
//          strong validator. Where a server states neither, the file is fetched, and has its SHA-256

import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  closing,
  FeedError,
  type FileIdentity,
  machineFiles,
  type RequestHeaders,
} from '../../engine/index'
import { isOwn, type OwnId } from '../file-id'
import type { AppliedFile } from '../target/target'
import { type FilePlace, newest, type SourceFile } from './feed-source'
import { identityOfPath, type PlaceOptions, type RemoteFile, remoteBlocks } from './place-blocks'

/** A content of the place, and what its download has to find there. */
export interface PolledFile {
  readonly file: SourceFile
  readonly identity: FileIdentity
}

interface Content extends Pick<PolledFile, 'identity'> {
  readonly from: FilePlace
  readonly tag: string
}

/** The bytes that are asked for beside the validators: the least. */
const PROBE = { chunkBytes: 1, concurrency: 1 }
/** A longer tag proves nothing here, because identifiers have a limit. */
const MOST_TAG_CHARS = 900
const HASH = 'sha256:'

export class PolledPlace {
  /** The folder of a file that was fetched for its hash. */
  #folder: string | undefined
  #last: PolledFile | undefined

  /**
   * Returns the content of a path or an address; undefined where it is that of the last full file.
   * @throws FeedError as RangeFetcher does, and STAGE_FAILED
   */
  async ask(
    place: string | RemoteFile,
    applied: readonly AppliedFile[],
    options: PlaceOptions,
  ): Promise<PolledFile | undefined> {
    const ids = applied.map(({ id }) => id).filter(isOwn)
    const known = newest(ids.filter(({ kind }) => kind === 'full'))
    const knownTag = known && tagOf(known)
    const content =
      typeof place === 'string'
        ? await localContent(place)
        : await this.#remoteContent(place, knownTag, options)
    if (content === undefined || content.tag === knownTag) return undefined
    this.#last = { file: this.#fileOf(known, content), identity: content.identity }
    return this.#last
  }

  /** A content that was not applied yet keeps its identifier, and so its download. */
  #fileOf(known: OwnId | undefined, { from, identity, tag }: Content): SourceFile {
    const last = this.#last?.file
    if (last !== undefined && last.id !== known?.id && tagOf(last) === tag) return last
    const madeMs = Date.parse(identity.lastModified ?? '') || Date.now()
    // What stands there now is newer than what stood there, whatever its date says.
    const leastMs = known === undefined ? madeMs : Date.parse(known.time) + 1
    const time = new Date(Math.max(madeMs, leastMs))
    return { id: `${time.toISOString()} ${tag}`, from, kind: 'full', time }
  }

  async close(): Promise<void> {
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true })
  }

  async #remoteContent(
    remote: RemoteFile,
    knownTag: string | undefined,
    options: PlaceOptions,
  ): Promise<Content | undefined> {
    const identity = await probe(remote, knownTag, options)
    if (identity === undefined) return undefined
    const { etag, weakEtag, isDateStrong, lastModified } = identity
    const tag = etag ?? weakEtag ?? (isDateStrong ? lastModified : undefined)
    if (tag !== undefined && tag.length <= MOST_TAG_CHARS)
      return { from: remote.url, identity, tag }
    return this.#hashed(remote, options)
  }

  async #hashed(remote: RemoteFile, options: PlaceOptions): Promise<Content> {
    this.#folder ??= await mkdtemp(join(tmpdir(), 'feedmill-polled-'))
    const path = join(this.#folder, 'content')
    const hash = createHash('sha256')
    await machineFiles.remove(path)
    const file = await machineFiles.create(path)
    await closing(file, async () => {
      let at = 0
      for await (const block of remoteBlocks(remote, options)) {
        hash.update(block)
        await file.write(at, block)
        at += block.length
      }
    })
    return { from: path, identity: await identityOfPath(path), tag: HASH + hash.digest('hex') }
  }
}

async function localContent(path: string): Promise<Content> {
  const identity = await identityOfPath(path)
  return { from: path, identity, tag: identity.etag }
}

/** Asks for the validators of a file. Returns undefined where the server says that it is the same. */
async function probe(
  remote: RemoteFile,
  knownTag: string | undefined,
  options: PlaceOptions,
): Promise<FileIdentity | undefined> {
  let identity: FileIdentity = {}
  const onInfo: PlaceOptions['onInfo'] = ({ empty: _, ...told }) => void (identity = told)
  const ranges = { ...options.ranges, ...PROBE }
  try {
    const file = { ...remote, headers: conditional(remote.headers, knownTag) }
    for await (const _ of remoteBlocks(file, { ...options, ranges, onInfo })) break
    return identity
  } catch (error) {
    if (FeedError.is(error) && error.code === 'HTTP_STATUS' && error.context.status === 304)
      return undefined
    throw error
  }
}

function conditional(
  headers: RemoteFile['headers'],
  tag: string | undefined,
): NonNullable<RemoteFile['headers']> {
  if (tag === undefined || tag.startsWith(HASH)) return headers ?? {}
  const condition: RequestHeaders = tag.endsWith('"')
    ? { 'If-None-Match': tag }
    : { 'If-Modified-Since': tag }
  return typeof headers === 'function'
    ? async reason => ({ ...(await headers(reason)), ...condition })
    : { ...headers, ...condition }
}

function tagOf({ id }: Pick<SourceFile, 'id'>): string {
  return id.slice(id.indexOf(' ') + 1)
}

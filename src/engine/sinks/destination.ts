// The destination of a sink's bytes: a file that appears whole or not at all, or an output that is
// no regular file. A device, a FIFO and an open stream get the bytes at once, are never replaced,
// and keep what they got after an abort. The methods fail with the system's own errors, which
// ByteOutput types.

import { constants, fstat, open as openDescriptor, write } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { Socket } from 'node:net'
import { type Duplex, finished } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createGzip, type Gzip } from 'node:zlib'
import { atomicFile, descriptorOf, withoutLinks } from '../disk/atomic-file'
import { type ByteWriter, unless, unlessMissing, writeAll } from '../disk/system-calls'
import { aborted } from '../errors'

/**
 * The path of a file, a device or a FIFO; or a Node stream, such as `process.stdout`, which the
 * sink writes to and does not end.
 */
export type SinkTarget = string | NodeJS.WritableStream | ByteTarget

/**
 * A place that is neither a file nor a stream, such as an object of a bucket. Two targets with one
 * address are one place.
 */
export interface ByteTarget {
  /** The address, without secrets. */
  readonly address: string
  /** Begins what one run writes. */
  openDestination(): Promise<Destination>
}

/** How often a stream is asked whether its reader has taken what it got, and a FIFO for a reader. */
const POLL_MS = 5
/** How often a stream that takes long for a write is asked whether it was destroyed. */
const WATCH_MS = 100
const TO_READER = constants.O_WRONLY | (constants.O_NONBLOCK ?? 0)
const statOf = promisify(fstat)
const writeTo = promisify(write)
const descriptorTo = promisify(openDescriptor)

/** What one run writes, and what makes it visible. */
export interface Destination {
  /** Writes all of `bytes`, which the caller may use again when the promise resolves. */
  write(bytes: Uint8Array): Promise<void>
  /** Does the work of the commit that may fail, where the bytes are not final at once. */
  prepare?(): Promise<void>
  commit(): Promise<void>
  /** Ends a call that waits, too. */
  abort(): Promise<void>
  /** True where a commit that has failed has put the bytes in their place all the same. */
  readonly isInPlace?: boolean
  /** True where nobody can say whether a commit that has failed has put the bytes in their place. */
  readonly mayBeInPlace?: boolean
}

/** @param isGivenUp true where the sink is aborted while this call waits for the reader of a FIFO */
export async function openDestination(
  target: SinkTarget,
  isGivenUp: () => boolean,
): Promise<Destination> {
  if (typeof target !== 'string')
    return 'openDestination' in target ? target.openDestination() : streamDestination(target)
  const descriptor = descriptorOf(withoutLinks(target))
  if (descriptor !== undefined) return descriptorDestination(descriptor)
  const stats = await unlessMissing(stat(target))
  if (stats === undefined || stats.isFile()) return atomicFile(target)
  if (stats.isFIFO()) return fifoDestination(target, isGivenUp)
  // For a folder the call fails with EISDIR.
  const handle = await open(target, constants.O_WRONLY)
  return writerDestination(handle, () => handle.close())
}

/** A call of the system that waits for the reader of a FIFO could not be ended, so none is made. */
async function fifoDestination(path: string, isGivenUp: () => boolean): Promise<Destination> {
  let fd: number | undefined
  while ((fd = await unless('ENXIO', descriptorTo(path, TO_READER))) === undefined) {
    if (isGivenUp()) throw aborted('pipeline', `${path} has no reader`, undefined)
    await sleep(POLL_MS)
  }
  const socket = new Socket({ fd, readable: false })
  const destination = ofStream(socket)
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()))
  const close = async () => {
    socket.destroy()
    await closed
  }
  return {
    write: destination.write,
    // The call fails with ENXIO where every reader has closed the FIFO before its end.
    prepare: async () => (await open(path, TO_READER)).close(),
    commit: async () => {
      await destination.commit()
      await close()
    },
    abort: close,
  }
}

/**
 * Opens a destination over an open descriptor. All writers of a descriptor share one position; a
 * file that is opened again would be written from its start.
 */
async function descriptorDestination(descriptor: number): Promise<Destination> {
  if (descriptor === 1) return streamDestination(process.stdout)
  if (descriptor === 2) return streamDestination(process.stderr)
  await statOf(descriptor)
  return ofDescriptor(descriptor)
}

async function streamDestination(stream: NodeJS.WritableStream): Promise<Destination> {
  const { fd, isTTY } = stream as { readonly fd?: unknown; readonly isTTY?: boolean }
  const isOwn = stream === process.stdout || stream === process.stderr
  if (!isOwn || isTTY || typeof fd !== 'number') return ofStream(stream)
  const stats = await statOf(fd)
  // Node's stream over a file or device reports a partial write as a whole one.
  return stats.isFile() || stats.isCharacterDevice() ? ofDescriptor(fd) : ofStream(stream)
}

/** @param close closes what was opened for the sink */
function writerDestination(writer: ByteWriter, close = async () => {}): Destination {
  return { write: bytes => writeAll(writer, bytes), commit: close, abort: close }
}

/** A descriptor belongs to the process: nobody closes it here. */
function ofDescriptor(descriptor: number): Destination {
  return writerDestination({
    write: (bytes, from, length, at) => writeTo(descriptor, bytes, from, length, at),
  })
}

function ofStream(stream: NodeJS.WritableStream): Destination {
  let failure: unknown
  let fail = (_failure: unknown) => {}
  // The failure of a write comes as an event too, which would end the process without a listener.
  const forget = finished(stream, { readable: false }, error => {
    failure = error
    // A write that calls back says itself what has failed.
    if (error) setImmediate(() => fail(error))
  })
  const check = () => {
    const { destroyed, writableFinished, errored } = stream as object as Partial<Duplex>
    if (destroyed && !writableFinished) failure ??= errored ?? new RangeError('it was destroyed')
    if (failure) throw failure
  }
  return {
    write: bytes => {
      // A stream may keep the bytes after it has reported them as written.
      const copy = Buffer.from(bytes)
      let watch: NodeJS.Timeout | undefined
      const written = new Promise<void>((resolve, reject) => {
        // A stream that is destroyed meanwhile does not always call back, and may tell nobody.
        fail = reject
        watch = setInterval(() => Promise.resolve().then(check).catch(reject), WATCH_MS)
        stream.write(copy, error => (error ? reject(error) : resolve()))
      })
      return written.finally(() => clearInterval(watch))
    },
    async prepare() {
      while (!failure && isUnderWay(stream)) await sleep(POLL_MS)
      // An error is emitted behind the callback of its write.
      await new Promise(setImmediate)
      check()
    },
    async commit() {
      check()
      forget()
    },
    // The listeners stay, because the event of a failed write comes after its callback.
    abort: async () => {
      failure ??= new RangeError('the run was aborted')
      fail(failure)
    },
  }
}

/**
 * True for a stream that somebody else has ended and that has not finished, and for a Transform,
 * such as a PassThrough, with bytes that its reader in this process has not taken.
 */
function isUnderWay(stream: NodeJS.WritableStream): boolean {
  const state = stream as object as Partial<Duplex>
  if (state.writableEnded) return !state.writableFinished && !state.destroyed
  const isRead = stream.listenerCount('data') + stream.listenerCount('readable') > 0
  return '_transform' in stream && isRead && state.readableLength! > 0
}

/** Compresses what it gets with gzip before another destination writes it. */
export class GzipDestination implements Destination {
  readonly #inner: Destination
  readonly #gzip: Gzip = createGzip()
  /** Compressed blocks that `inner` has not got yet. */
  #blocks: Uint8Array[] = []
  readonly #failed: Promise<never>

  constructor(inner: Destination) {
    this.#inner = inner
    this.#gzip.on('data', (block: Uint8Array) => this.#blocks.push(block))
    this.#failed = new Promise((_, reject) => this.#gzip.once('error', reject))
    // The call that waits for it fails, and nobody else has to.
    this.#failed.catch(() => {})
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.#settled(done => this.#gzip.write(bytes, done))
    await this.#pass()
  }

  async prepare(): Promise<void> {
    await this.#settled(done => {
      this.#gzip.once('end', done)
      this.#gzip.end()
    })
    await this.#pass()
    await this.#inner.prepare?.()
  }

  commit(): Promise<void> {
    return this.#inner.commit()
  }

  get isInPlace(): boolean {
    return this.#inner.isInPlace === true
  }

  get mayBeInPlace(): boolean {
    return this.#inner.mayBeInPlace === true
  }

  abort(): Promise<void> {
    this.#gzip.destroy()
    return this.#inner.abort()
  }

  #settled(start: (done: () => void) => void): Promise<void> {
    return Promise.race([new Promise<void>(start), this.#failed])
  }

  async #pass(): Promise<void> {
    const blocks = this.#blocks
    this.#blocks = []
    for (const block of blocks) await this.#inner.write(block)
  }
}

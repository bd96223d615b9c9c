// The destination of a sink's bytes: a file that appears whole or not at all, or an output that is
// no regular file. A device, a FIFO and an open stream get the bytes at once, are never replaced,
// and keep what they got after an abort. The methods fail with the system's own errors, which
// ByteOutput types.

import { constants, fstat, write } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { createGzip, type Gzip } from 'node:zlib'
import { AtomicFile, descriptorOf, withoutLinks } from '../disk/atomic-file'
import { type ByteWriter, unlessMissing, writeAll } from '../disk/system-calls'

/**
 * The path of a file, a device or a FIFO; or a Node stream, such as `process.stdout`, which the
 * sink writes to and does not end.
 */
export type SinkTarget = string | NodeJS.WritableStream

const statOf = promisify(fstat)
const writeTo = promisify(write)

export interface Destination {
  /** Writes all of `bytes`, which the caller may use again when the promise resolves. */
  write(bytes: Uint8Array): Promise<void>
  /** Does the work of the commit that may fail, where the bytes are not final at once. */
  prepare?(): Promise<void>
  commit(): Promise<void>
  abort(): Promise<void>
}

export async function openDestination(target: SinkTarget): Promise<Destination> {
  if (typeof target !== 'string') return streamDestination(target)
  const descriptor = descriptorOf(await withoutLinks(target))
  if (descriptor !== undefined) return descriptorDestination(descriptor)
  const stats = await unlessMissing(stat(target))
  if (stats === undefined || stats.isFile()) return AtomicFile.create(target)
  // For a folder the call fails with EISDIR.
  const handle = await open(target, constants.O_WRONLY)
  return writerDestination(handle, () => handle.close())
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
  // A write reports its failure by its callback. The stream emits the same failure as an event,
  // which would end the process without this listener.
  const ignore = () => {}
  stream.on('error', ignore)
  return {
    write: bytes => {
      // A stream may keep the bytes after it has reported them as written.
      const copy = Buffer.from(bytes)
      return new Promise((resolve, reject) => {
        stream.write(copy, error => (error ? reject(error) : resolve()))
      })
    },
    commit: async () => void stream.off('error', ignore),
    // The listener stays, because the event of a failed write comes after its callback.
    abort: async () => {},
  }
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

// Where a sink's bytes go: to a file that appears whole or not at all, or straight through to what
// is no regular file. A device, a FIFO and an open stream keep no earlier content, so nothing
// replaces them and nothing that was written is taken back. Methods fail with the system's own
// errors: TextOutput types them.

import { constants, fstat, write } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
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
  commit(): Promise<void>
  abort(): Promise<void>
}

export async function openDestination(target: SinkTarget): Promise<Destination> {
  if (typeof target !== 'string') return streamDestination(target)
  const descriptor = descriptorOf(await withoutLinks(target))
  if (descriptor !== undefined) return descriptorDestination(descriptor)
  const stats = await unlessMissing(stat(target))
  if (stats === undefined || stats.isFile()) return AtomicFile.create(target)
  // The system refuses to open a folder.
  return new DeviceDestination(await open(target, constants.O_WRONLY))
}

/**
 * All writers of an open file share one position in it: opened anew, a file would be written from
 * its start.
 */
async function descriptorDestination(descriptor: number): Promise<Destination> {
  if (descriptor === 1) return streamDestination(process.stdout)
  if (descriptor === 2) return streamDestination(process.stderr)
  await statOf(descriptor)
  return new DescriptorDestination(descriptor)
}

async function streamDestination(stream: NodeJS.WritableStream): Promise<Destination> {
  const { fd, isTTY } = stream as { readonly fd?: unknown; readonly isTTY?: boolean }
  const isOwn = stream === process.stdout || stream === process.stderr
  if (!isOwn || isTTY || typeof fd !== 'number') return new StreamDestination(stream)
  const stats = await statOf(fd)
  // Node's stream over a file or device takes a block that was written in part for the whole block.
  return stats.isFile() || stats.isCharacterDevice()
    ? new DescriptorDestination(fd)
    : new StreamDestination(stream)
}

class DeviceDestination implements Destination {
  readonly #handle: FileHandle

  constructor(handle: FileHandle) {
    this.#handle = handle
  }

  write(bytes: Uint8Array): Promise<void> {
    return writeAll(this.#handle, bytes)
  }

  commit(): Promise<void> {
    return this.#handle.close()
  }

  abort(): Promise<void> {
    return this.#handle.close()
  }
}

/** A descriptor that others have opened and will close. */
class DescriptorDestination implements Destination {
  readonly #writer: ByteWriter

  constructor(descriptor: number) {
    this.#writer = {
      write: (bytes, from, length, at) => writeTo(descriptor, bytes, from, length, at),
    }
  }

  write(bytes: Uint8Array): Promise<void> {
    return writeAll(this.#writer, bytes)
  }

  async commit(): Promise<void> {}

  async abort(): Promise<void> {}
}

class StreamDestination implements Destination {
  readonly #stream: NodeJS.WritableStream
  /**
   * The write reports every failure. Without a listener the event that comes with it would end the
   * process.
   */
  readonly #ignore = () => {}

  constructor(stream: NodeJS.WritableStream) {
    this.#stream = stream
    stream.on('error', this.#ignore)
  }

  write(bytes: Uint8Array): Promise<void> {
    // The stream may keep the bytes for its reader longer than until it reports them written.
    const copy = Buffer.from(bytes)
    return new Promise((resolve, reject) => {
      this.#stream.write(copy, error => (error ? reject(error) : resolve()))
    })
  }

  async commit(): Promise<void> {
    this.#stream.off('error', this.#ignore)
  }

  /** The listener stays: the event of a write that failed comes after its report. */
  async abort(): Promise<void> {}
}

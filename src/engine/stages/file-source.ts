// A file as a source of byte blocks. The source reads one block ahead of the reader, and reuses
// memory where the next stage is known to copy. It owns the open file. The stages after it
// interpret the bytes and check whether the file is complete.

import { type BigIntStats, close, constants, fstat, open, read, statSync } from 'node:fs'
import { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { identityOfStats } from '../codec/range/file-identity'
import { refuseChange } from '../codec/range/response-verdict'
import { descriptorOf, withoutLinks } from '../disk/atomic-file'
import { excerpt, FeedError, messageOf } from '../errors'
import { is, optionInvalid } from '../options'
import { Source } from './source'

/** A block keeps the worker of Gunzip busy while the next one is read. */
const BLOCK_BYTES = 256 * 1024
const LENT_BLOCKS = 2

/**
 * Reads a file from its start to its end, in blocks of at most 256 KiB.
 *
 * Each block has memory of its own and belongs to the reader. Only in a pipeline whose next stage
 * borrows its inputs (Gunzip, a parser), the source reuses two blocks of memory: new blocks that
 * wait while rows are made live just long enough for V8 to treat them as long-lived, and stay until
 * a full collection. The source holds two blocks: the reader's, and the one that is being read.
 *
 * The file is closed at the end, at a failure and on destroy, after a pending read has returned. A
 * file that cannot be opened or read fails with STAGE_FAILED, whose cause is the error of the
 * system. A file that is changed while it is read fails with RANGE_FILE_REPLACED at its end; one whose
 * name is given to another file is read to its end.
 *
 * @example
 * ```ts
 * import { FileSource, pipeline } from 'feedmill'
 * // given: path
 *
 * const blocks = await pipeline(new FileSource(path)).toArray()
 * console.log(blocks.length)
 * // => 1
 * ```
 */
export class FileSource extends Source<Uint8Array> {
  override ownsOutputs = true
  readonly #path: string
  readonly #blockBytes: number
  /** The reused blocks of memory, the next one first. */
  readonly #memories: Uint8Array[] = []
  #lends = false
  /** The FIFO that is read. */
  #socket: Socket | undefined

  /**
   * @param path a path, or a `file:` URL
   * @throws OPTION_INVALID
   */
  constructor(path: string | URL)
  /** @internal */
  constructor(path: string | URL, blockBytes: number)
  constructor(path: string | URL, blockBytes = BLOCK_BYTES) {
    super('FileSource')
    this.#path = is.filePath('path', path instanceof URL ? pathOf(path) : path)
    this.origin = this.#path
    this.reads = [this.#path]
    this.#blockBytes = blockBytes
  }

  override lendOutputs(): boolean {
    this.#lends = true
    return true
  }

  protected override async *produce(): AsyncGenerator<Uint8Array, void, void> {
    const isFifo = this.#isFifo()
    const file = await this.#opened(isFifo ? constants.O_NONBLOCK : constants.O_RDONLY)
    if (isFifo) {
      this.#socket = new Socket({ fd: file, writable: false })
      if (this.signal.aborted) this.release()
      return yield* this.#socket
    }
    let reading: Promise<Uint8Array> | undefined
    try {
      const before = await promisify(fstat)(file, { bigint: true })
      // A pipe and the like have no size.
      this.fileBytes = Number(before.size) || undefined
      reading = this.#read(file)
      for (let block = await reading; block.length > 0; block = await reading) {
        reading = this.#read(file)
        yield block
      }
      if (before.isFile())
        this.#refuseChange(before, await promisify(fstat)(file, { bigint: true }))
    } finally {
      // A file must not be closed while a read is pending.
      await reading?.catch(() => {})
      await promisify(close)(file)
    }
  }

  protected override release(): void {
    this.#socket?.destroy()
  }

  /**
   * True for a FIFO with a name. A call of the system that waits for its writer could not be ended.
   * Other systems than Linux tell a FIFO without a writer from its end only in such a call.
   */
  #isFifo(): boolean {
    if (process.platform !== 'linux') return false
    const stats = statSync(this.#path, { throwIfNoEntry: false })
    return stats?.isFIFO() === true && descriptorOf(withoutLinks(this.#path)) === undefined
  }

  /**
   * The time of the inode is compared too, because a program can set that of the content. It also
   * changes where another file takes the name of this one, which then has a link less, and is whole.
   */
  #refuseChange(before: BigIntStats, after: BigIntStats): void {
    const isLinked = before.nlink === after.nlink
    const ofLinks = (stats: BigIntStats) =>
      identityOfStats(isLinked ? stats : { ...stats, ctimeNs: 0n })
    refuseChange(this.#path, this.counters.bytesOut, ofLinks(before), ofLinks(after))
  }

  async #opened(flags: number): Promise<number> {
    try {
      return await promisify(open)(this.#path, flags)
    } catch (cause) {
      throw this.#failed('opened', cause)
    }
  }

  // This does not use a FileHandle: its request objects are large, and live long enough to make
  // V8's young generation grow.
  #read(file: number): Promise<Uint8Array> {
    const memory = this.#nextMemory()
    const reading = new Promise<Uint8Array>((resolve, reject) => {
      read(file, memory, 0, memory.length, null, (cause, bytesRead) => {
        if (cause) reject(this.#failed('read', cause))
        else resolve(memory.subarray(0, bytesRead))
      })
    })
    // The block is read ahead, so a failure is reported when the block's turn comes.
    reading.catch(() => {})
    return reading
  }

  /**
   * Returns the memory for the next read. Two blocks are enough: one is used while the other is
   * read.
   */
  #nextMemory(): Uint8Array {
    if (!this.#lends) return this.#newMemory()
    const memory = this.#memories.length < LENT_BLOCKS ? this.#newMemory() : this.#memories.shift()!
    this.#memories.push(memory)
    return memory
  }

  #newMemory(): Uint8Array {
    return new Uint8Array(Buffer.allocUnsafeSlow(this.#blockBytes).buffer)
  }

  #failed(verb: string, cause: unknown): FeedError {
    const reason = excerpt(messageOf(cause))
    return new FeedError(
      'STAGE_FAILED',
      `${this.#path} cannot be ${verb}: ${reason}`,
      { stage: this.name },
      { cause },
    )
  }
}

function pathOf(url: URL): string {
  try {
    return fileURLToPath(url)
  } catch {
    throw optionInvalid('path', 'a path or a file: URL of this machine', `a URL of ${url.protocol}`)
  }
}

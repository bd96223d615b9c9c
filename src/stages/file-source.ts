// A file's bytes as a source: one block ahead of the reader, and in memory that is used again where
// the reader is known to copy. It owns the open file. What the bytes are, and whether the file is
// whole, is for the stages behind it.

import { close, open, read } from 'node:fs'
import { promisify } from 'node:util'
import { excerpt, FeedError } from '../errors'
import { filePath, knownOptions, type OptionNames, wholeNumber } from '../options'
import { Source } from './source'

/**
 * A block keeps the worker of Gunzip busy for a millisecond or two; smaller ones cost more waits,
 * larger ones only memory.
 */
const BLOCK_BYTES = 256 * 1024
const MAX_BLOCK_BYTES = 2 ** 30
const LENT_BLOCKS = 2

export interface FileSourceOptions {
  /** Bytes of one read, and so the most in a block; 256 KiB by default. */
  readonly blockBytes?: number
}

const OPTION_NAMES: OptionNames<FileSourceOptions> = { blockBytes: true }

/**
 * A file from its start to its end, in blocks of `blockBytes`; a read may give fewer.
 *
 * Blocks belong to the reader, each in memory of its own. Only in a pipeline whose next stage
 * borrows its inputs (Gunzip, a parser) two blocks of memory go round: fresh ones that wait while
 * rows are made live just long enough to be taken for long-lived, and stay until a full collection.
 * Held: the block that the reader has, and the one that is being read.
 *
 * The file is closed at the end, at a failure and on destroy, there once the read under way has
 * come back. A file that cannot be opened or read is STAGE_FAILED; its cause is the system's error.
 */
export class FileSource extends Source<Uint8Array> {
  readonly #path: string
  readonly #blockBytes: number
  /** What is lent in turn, the next one first. */
  readonly #memories: Uint8Array[] = []
  #lends = false

  /** @throws OPTION_INVALID */
  constructor(path: string, options: FileSourceOptions = {}) {
    super('FileSource')
    const { blockBytes = BLOCK_BYTES } = knownOptions(options, OPTION_NAMES)
    this.#path = filePath('path', path)
    this.#blockBytes = wholeNumber('blockBytes', blockBytes, 1, MAX_BLOCK_BYTES)
  }

  override lendOutputs(): boolean {
    this.#lends = true
    return true
  }

  protected override async *produce(): AsyncGenerator<Uint8Array, void, void> {
    const file = await this.#opened()
    let reading: Promise<Uint8Array> | undefined
    try {
      reading = this.#read(file)
      for (let block = await reading; block.length > 0; block = await reading) {
        reading = this.#read(file)
        yield block
      }
    } finally {
      // A file must not be closed while it is read.
      await reading?.catch(() => {})
      await promisify(close)(file)
    }
  }

  async #opened(): Promise<number> {
    try {
      return await promisify(open)(this.#path, 'r')
    } catch (cause) {
      throw this.#failed('opened', cause)
    }
  }

  // Not by a FileHandle: its requests are large, and live long enough to make V8's young generation
  // grow.
  #read(file: number): Promise<Uint8Array> {
    const memory = this.#nextMemory()
    const reading = new Promise<Uint8Array>((resolve, reject) => {
      read(file, memory, 0, memory.length, null, (cause, bytesRead) => {
        if (cause) reject(this.#failed('read', cause))
        else resolve(memory.subarray(0, bytesRead))
      })
    })
    // It is read ahead: a failure is told when its turn comes.
    reading.catch(() => {})
    return reading
  }

  /** While one block is read, the one before it is used: two are enough. */
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
    const reason = excerpt(cause instanceof Error ? cause.message : String(cause))
    return new FeedError(
      'STAGE_FAILED',
      `${this.#path} cannot be ${verb}: ${reason}`,
      { stage: this.name },
      { cause },
    )
  }
}

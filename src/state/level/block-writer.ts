// Gathers writes into blocks and writes these to the disk one after the other, while the next block
// is filled.
//
//   add ─▶ block in memory, up to `BLOCK_BYTES`
//       ─▶ 1. its values are appended to the log and synced
//       ─▶ 2. its entries are written to the index in one atomic batch
//
// So a crash loses only the newest calls of `write`, each as a whole and in order. An entry never
// refers to bytes that are not on the disk. Values in the log without an entry are removed with
// their segment.

import type { StoreOp } from '../keyed-store'
import type { LevelDatabase } from './level-database'
import type { ValueLog } from './value-log'
import { type BlockRoom, newRoom, placedBytes, WriteBlock } from './write-block'

/**
 * Size of a block: large enough that a sync for each costs little, and small enough for two of them
 * in memory.
 */
export const BLOCK_BYTES = 2 ** 21
/** Limit of keys in a block, because short values do not count towards its size. */
const BLOCK_KEYS = 2 ** 15

export interface BlockWriterOptions {
  readonly index: LevelDatabase
  readonly log: ValueLog
  readonly durable: boolean
  /** Called when a block is on the disk. The next block waits for the result. */
  readonly onArrived: () => Promise<void>
}

export class BlockWriter {
  readonly #options: BlockWriterOptions
  #current: WriteBlock | undefined
  #leaving: WriteBlock | undefined
  #arrived: Promise<void> = Promise.resolve()
  readonly #freeRooms: BlockRoom[] = []
  #failure: { readonly error: unknown } | undefined

  constructor(options: BlockWriterOptions) {
    this.#options = options
  }

  /** True after a failed write, when the content of the disk is unknown. */
  get failed(): boolean {
    return this.#failure !== undefined
  }

  /** The segment of the block that is being filled. */
  get segment(): number | undefined {
    return this.#current?.segment
  }

  /** The two blocks that are not on the disk yet, the newer one first. */
  get blocks(): readonly [WriteBlock | undefined, WriteBlock | undefined] {
    return [this.#current, this.#leaving]
  }

  /**
   * Adds writes, and waits where they come faster than the disk takes them.
   * @throws the failure of an earlier block
   */
  async add(ops: readonly StoreOp[]): Promise<void> {
    this.#check()
    const bytes = placedBytes(ops)
    const block = this.#hasRoom(bytes) ? this.#current! : await this.#nextBlock(bytes)
    block.add(ops)
  }

  /**
   * Writes all that was added to the disk.
   * @throws the failure of a block
   */
  async flush(): Promise<void> {
    await this.#send()
    await this.#arrival()
  }

  /** Keys count too, because they take memory beside the block's buffers. */
  #hasRoom(bytes: number): boolean {
    const block = this.#current
    return block?.fits(bytes) === true && block.size < BLOCK_KEYS && block.keyBytes < BLOCK_BYTES
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }

  async #arrival(): Promise<void> {
    await this.#arrived
    this.#check()
  }

  async #nextBlock(bytes: number): Promise<WriteBlock> {
    await this.#send()
    this.#current = new WriteBlock(await this.#options.log.end(), this.#roomFor(bytes))
    return this.#current
  }

  #roomFor(bytes: number): BlockRoom {
    const room = bytes > BLOCK_BYTES ? undefined : this.#freeRooms.pop()
    return room ?? newRoom(Math.max(bytes, BLOCK_BYTES))
  }

  /** Begins to write the current block, once the block before it is on the disk. */
  async #send(): Promise<void> {
    await this.#arrival()
    const block = this.#current
    if (block === undefined) return
    this.#options.log.claim(block.segment, block.values.length)
    this.#current = undefined
    this.#leaving = block
    this.#arrived = this.#save(block).catch(error => {
      this.#failure = { error }
    })
  }

  async #save(block: WriteBlock): Promise<void> {
    const { index, log, durable, onArrived } = this.#options
    if (block.values.length > 0) {
      await log.write(block.segment, block.offset, block.values)
      if (durable) await log.sync()
    }
    await index.write(take => block.giveEntries(take), durable)
    this.#leaving = undefined
    if (block.room.values.length === BLOCK_BYTES) this.#freeRooms.push(block.room)
    await onArrived()
  }
}

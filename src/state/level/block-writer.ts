// Writes blocks to the disk one after the other, while the next one is filled.
//
//   add ─▶ block in memory, up to `BLOCK_BYTES` ─╮
//   take ─▶ block that another object has filled ─┴▶ 1. its values are appended to the log and synced
//                                                 ─▶ 2. its entries are written to the index in one
//                                                       atomic batch
//
// So a crash loses only the newest writes, each as a whole and in order. An entry never refers to
// bytes that are not on the disk. Values in the log without an entry are removed with their
// segment.

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
/** Buffers that are kept for later blocks: one block is filled while another is written. */
const ROOMS = 2

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
  /** Resolves when the calls so far are done. They come one after the other. */
  #turn: Promise<void> = Promise.resolve()
  readonly #freeRooms: BlockRoom[] = []
  #failure: { readonly error: unknown } | undefined

  constructor(options: BlockWriterOptions) {
    this.#options = options
  }

  /** True after a failed write, when the content of the disk is unknown. */
  get failed(): boolean {
    return this.#failure !== undefined
  }

  /** The two blocks that are not on the disk yet, the newer one first. */
  get blocks(): readonly [WriteBlock | undefined, WriteBlock | undefined] {
    return [this.#current, this.#leaving]
  }

  /** Returns an empty block for {@link take}. */
  newBlock(): WriteBlock {
    return new WriteBlock(this.#freeRooms.pop() ?? newRoom(BLOCK_BYTES))
  }

  /**
   * Adds writes, and waits where they come faster than the disk takes them.
   * @throws the failure of an earlier block
   */
  add(ops: readonly StoreOp[]): Promise<void> {
    return this.#inTurn(async () => {
      const bytes = placedBytes(ops)
      if (!this.#hasRoom(bytes)) {
        await this.#send()
        this.#current = bytes > BLOCK_BYTES ? new WriteBlock(newRoom(bytes)) : this.newBlock()
      }
      this.#current!.add(ops)
    })
  }

  /**
   * Takes a whole block, and waits until the block before it is on the disk.
   * @throws the failure of an earlier block
   */
  take(block: WriteBlock): Promise<void> {
    return this.#inTurn(async () => {
      await this.#send()
      this.#current = block
      await this.#send()
    })
  }

  /**
   * Writes all that was added to the disk.
   * @throws the failure of a block
   */
  flush(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#send()
      await this.#arrival()
    })
  }

  /** Runs an action behind all earlier ones, those that failed included. */
  #inTurn(action: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(() => {
      this.#check()
      return action()
    })
    this.#turn = turn.catch(() => {})
    return turn
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

  /** Begins to write the current block, once the block before it is on the disk. */
  async #send(): Promise<void> {
    const block = this.#current
    if (block === undefined) return
    await this.#arrival()
    this.#current = undefined
    this.#leaving = block
    this.#arrived = this.#save(block).catch(error => {
      this.#failure = { error }
    })
  }

  async #save(block: WriteBlock): Promise<void> {
    const { index, log, durable, onArrived } = this.#options
    const { values } = block
    const place = await log.end()
    log.claim(place.segment, values.length)
    if (values.length > 0) {
      await log.write(place.segment, place.offset, values)
      if (durable) await log.sync()
    }
    await index.write(take => block.giveEntries(place, take), durable)
    this.#leaving = undefined
    this.#keepRoom(block.room)
    await onArrived()
  }

  #keepRoom(room: BlockRoom): void {
    if (room.values.length === BLOCK_BYTES && this.#freeRooms.length < ROOMS)
      this.#freeRooms.push(room)
  }
}

// Gathers writes into blocks and brings them to the disk one after the other, while the next block
// is filled.
//
//   add ─▶ block in memory, up to `BLOCK_BYTES` ─▶ 1. its values, appended to the log, synced  ─▶ 2. its entries, one atomic batch
//
// So a crash loses the newest writes only, whole calls of `write` and never one before another; an
// entry never names bytes that are not on the disk. What the log holds beyond that is never named
// and goes away with its segment.

import type { StoreOp } from '../keyed-store'
import type { LevelDatabase } from './level-database'
import type { ValueLog } from './value-log'
import { type BlockRoom, newRoom, placedBytes, WriteBlock } from './write-block'

/**
 * Room of a block: enough that syncing each costs little, little enough that two of them do not
 * weigh.
 */
export const BLOCK_BYTES = 2 ** 22
/** Keys in a block at the most: short values take no room in it. */
const BLOCK_KEYS = 2 ** 15

export interface BlockWriterOptions {
  readonly index: LevelDatabase
  readonly log: ValueLog
  readonly durable: boolean
  /** Called when a block has arrived; the next one waits for it. */
  readonly onArrived: () => Promise<void>
}

export class BlockWriter {
  readonly #options: BlockWriterOptions
  #current: WriteBlock | undefined
  #leaving: WriteBlock | undefined
  #arrived: Promise<void> = Promise.resolve()
  #room: BlockRoom | undefined
  #failure: { readonly error: unknown } | undefined

  constructor(options: BlockWriterOptions) {
    this.#options = options
  }

  /** True once something could not be written: what is on the disk is not known then. */
  get failed(): boolean {
    return this.#failure !== undefined
  }

  /** The segment that the block being filled will stand in. */
  get segment(): number | undefined {
    return this.#current?.segment
  }

  /** Both blocks that are not on the disk yet, the newer one first. */
  get blocks(): readonly [WriteBlock | undefined, WriteBlock | undefined] {
    return [this.#current, this.#leaving]
  }

  /** Waits where more is written than the disk takes. @throws what an earlier block failed with */
  async add(ops: readonly StoreOp[]): Promise<void> {
    this.#check()
    const bytes = placedBytes(ops)
    const block = this.#hasRoom(bytes) ? this.#current! : await this.#nextBlock(bytes)
    block.add(ops)
  }

  /** All that was added is on the disk when the call is done. @throws what a block failed with */
  async flush(): Promise<void> {
    await this.#send()
    await this.#arrival()
  }

  /** Keys count too: they stand beside the block's room, and long ones would outweigh it. */
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
    const room = this.#room
    if (bytes > BLOCK_BYTES || room === undefined) return newRoom(Math.max(bytes, BLOCK_BYTES))
    this.#room = undefined
    return room
  }

  /** Sends the current block on its way, once the one before it has arrived. */
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
    await index.write(block.entries(), durable)
    this.#leaving = undefined
    if (block.room.values.length === BLOCK_BYTES) this.#room = block.room
    await onArrived()
  }
}

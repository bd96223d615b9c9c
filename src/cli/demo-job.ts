// What the demo is asked for, and what each of its two ways hands back.

import type { World } from '../emulator/index'
import type { FeedService } from '../index'
import type { ServeAddress } from './serve'

export interface DemoOptions {
  readonly items: number
  readonly seed: number
  readonly chunkBytes: number
  readonly out: string
  readonly streamOnly: boolean
  /** Kill a first run in the middle, and go on from what it left. */
  readonly interrupt: boolean
  readonly json: boolean
  /** The command's own script, which serves the emulated service, and runs what is to be killed, in other processes. */
  readonly cli: string
}

export interface DemoJob {
  readonly options: DemoOptions
  readonly address: ServeAddress
  readonly service: FeedService
  /** The service's clock, which stands still. */
  readonly now: Date
  /** The same world as the emulated service's, for its truth. */
  readonly world: World
}

export interface DemoOutcome {
  readonly items: number
  readonly groups: number
  readonly snapshots: number
  readonly rows: number
  readonly bytesCompressed: number
  readonly bytesRaw: number
  /** From the first request to the last merged row; of `--stream-only` to the last written row. */
  readonly ingestSeconds: number
  /** Writing the merged items; undefined where that was part of the ingestion. */
  readonly writeSeconds?: number
  /** Comparing with the truth, which the times above do not hold. */
  readonly checkSeconds: number
  /** Files that a first run had brought into the state before it was killed; undefined where none was. */
  readonly filesBeforeKill?: number
  /** What differs from the truth; empty when all is right. */
  readonly problems: readonly string[]
  /** What was done, for people. */
  readonly table: string
}

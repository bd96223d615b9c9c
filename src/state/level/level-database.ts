// The adapter of classic-level, an optional package: a LevelDB whose keys are text and whose values
// are bytes. It loads the package, makes its calls and types its failures. level-store.ts decides
// what is stored.

import type { ClassicLevel } from 'classic-level'
import { corruptState, FeedError, stateIo } from '../../engine/index'
import type { KeyRange } from '../keyed-store'

type Database = ClassicLevel<string, Uint8Array>
type Snapshot = ReturnType<Database['snapshot']>

/**
 * No text in UTF-8 contains this byte. Keys that begin with it come after all others and belong to
 * the store itself.
 */
const PRIVATE = 0xff
const META_KEY = Uint8Array.of(PRIVATE)
/** Keys and values as bytes, which avoids a conversion to text. */
const BYTES = { keyEncoding: 'view', valueEncoding: 'view' } as const
/** Half of LevelDB's default, because a table that was read stays mapped while it is open. */
export const TABLE_BYTES = 2 ** 20
/** Entries taken from the iterator at once. */
const BLOCK_ENTRIES = 128

export interface LevelDatabaseOptions {
  /** Bytes of new entries before LevelDB writes them as a table. LevelDB holds two such buffers. */
  readonly writeBufferBytes: number
  readonly cacheBytes: number
  /**
   * Number of tables of {@link TABLE_BYTES} that are open and mapped at a time. LevelDB divides the
   * number by 16 and rounds up, and keeps at least 64 tables open.
   */
  readonly openTables: number
}

/** Takes an entry; null for a key that is removed. */
export type TakeEntry = (key: string, bytes: Uint8Array | null) => void

export interface RawEntry {
  readonly key: string
  readonly bytes: Uint8Array
}

export class LevelDatabase {
  readonly #db: Database
  readonly folder: string
  /** The entries as they are since the last write. */
  #snapshot: Snapshot | undefined

  private constructor(db: Database, folder: string) {
    this.#db = db
    this.folder = folder
  }

  /**
   * @param shownAs the path that errors name
   * @throws FeedError DEPENDENCY_MISSING, STATE_LOCKED, STATE_CORRUPT, STATE_IO
   */
  static async open(
    folder: string,
    options: LevelDatabaseOptions,
    shownAs = folder,
  ): Promise<LevelDatabase> {
    const Level = await loadLevel()
    const db: Database = new Level<string, Uint8Array>(folder, {
      keyEncoding: 'utf8',
      valueEncoding: 'view',
      // Checksums and places do not compress.
      compression: false,
      writeBufferSize: options.writeBufferBytes,
      cacheSize: options.cacheBytes,
      maxFileSize: TABLE_BYTES,
      maxOpenFiles: options.openTables + RESERVED_FILES,
    })
    const database = new LevelDatabase(db, shownAs)
    await database.#typed('open', () => db.open())
    return database
  }

  async getMany(keys: string[]): Promise<(Uint8Array | undefined)[]> {
    return this.#typed('read', () => {
      // Without a snapshot LevelDB makes one for each call, and this thread then waits for the lock
      // that compactions hold.
      const snapshot = (this.#snapshot ??= this.#db.snapshot())
      return this.#db.getMany<string, Uint8Array>(keys, { valueEncoding: 'buffer', snapshot })
    })
  }

  /**
   * Writes all entries or none.
   * @param entries calls its argument with each entry. The bytes need to last for that call only
   */
  async write(entries: (take: TakeEntry) => void, sync: boolean): Promise<void> {
    const batch = this.#db.batch()
    entries((key, bytes) => {
      if (bytes === null) batch.del(key)
      else batch.put(key, bytes)
    })
    await this.#typed('write', () => batch.write({ sync }))
    await this.#dropSnapshot()
  }

  /** Yields the entries in key order, in blocks. The caller owns the bytes. */
  async *entries({ from = '', to }: KeyRange): AsyncGenerator<RawEntry[], void, void> {
    const lt = to === undefined ? META_KEY : Buffer.from(to)
    const iterator = this.#db.iterator<Uint8Array, Uint8Array>({
      gte: Buffer.from(from),
      lt,
      ...BYTES,
      fillCache: false,
    })
    for await (const block of this.#blocksOf(iterator))
      yield block.map(([key, bytes]) => ({ key: textOf(key), bytes }))
  }

  /** Yields the values of all entries without their keys, in blocks. */
  entryBytes(): AsyncGenerator<Uint8Array[], void, void> {
    return this.#blocksOf(
      this.#db.values<Uint8Array, Uint8Array>({ lt: META_KEY, ...BYTES, fillCache: false }),
    )
  }

  async *#blocksOf<T>(iterator: {
    nextv(size: number): Promise<T[]>
    close(): Promise<void>
  }): AsyncGenerator<T[], void, void> {
    try {
      for (;;) {
        const block = await this.#typed('read', () => iterator.nextv(BLOCK_ENTRIES))
        if (block.length === 0) return
        yield block
      }
    } finally {
      await iterator.close()
    }
  }

  /** Returns the metadata of the store; undefined for a new one. */
  async meta(): Promise<Uint8Array | undefined> {
    return this.#typed('read', () => this.#db.get<Uint8Array, Uint8Array>(META_KEY, BYTES))
  }

  async putMeta(value: Uint8Array): Promise<void> {
    await this.#typed('write', () =>
      this.#db.put<Uint8Array, Uint8Array>(META_KEY, value, { ...BYTES, sync: true }),
    )
  }

  /** Returns the bytes that all entries take on the disk, about. */
  async byteLength(): Promise<number> {
    return this.#typed('read', () =>
      this.#db.approximateSize<Uint8Array>(new Uint8Array(), Uint8Array.of(PRIVATE, PRIVATE), {
        keyEncoding: 'view',
      }),
    )
  }

  async close(): Promise<void> {
    await this.#dropSnapshot()
    await this.#typed('close', () => this.#db.close())
  }

  /** Lets the next read see what was written. Reads under way keep their snapshot. */
  async #dropSnapshot(): Promise<void> {
    const snapshot = this.#snapshot
    this.#snapshot = undefined
    await snapshot?.close()
  }

  async #typed<T>(operation: string, action: () => Promise<T>): Promise<T> {
    try {
      return await action()
    } catch (error) {
      throw levelError(error, this.folder, operation)
    }
  }
}

/** Files that LevelDB holds open beside its tables. */
const RESERVED_FILES = 10

async function loadLevel(): Promise<typeof ClassicLevel> {
  try {
    return (await import('classic-level')).ClassicLevel
  } catch (cause) {
    const context = { package: 'classic-level', neededFor: 'a store on disk' }
    const message = `${context.neededFor} needs the package ${context.package}: npm install ${context.package}@^3`
    throw new FeedError('DEPENDENCY_MISSING', message, context, { cause })
  }
}

/** Returns the failure of a call as a typed error. `open` fails with the reason as its cause. */
function levelError(error: unknown, path: string, operation: string): FeedError {
  if (FeedError.is(error)) return error
  const { code, message, cause } = error as { code?: string; message?: string; cause?: unknown }
  if (code === 'LEVEL_DATABASE_NOT_OPEN' && cause !== undefined)
    return levelError(cause, path, operation)
  const reason = (message ?? String(error)).slice(0, REASON_LENGTH)
  if (code === 'LEVEL_CORRUPTION') return corruptState(path, reason, error)
  if (code === 'LEVEL_LOCKED') {
    const message = `${path} is in use by another store or process: close that one, or wait until it has ended`
    return new FeedError('STATE_LOCKED', message, { path }, { cause: error })
  }
  return stateIo(path, operation, code ?? reason, error)
}

const REASON_LENGTH = 200

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
}

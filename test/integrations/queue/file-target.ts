// A target that processes share: a folder with a file for each applied file. The ledger is its own
// fence: an entry is made by `link`, which fails where another writer has made the entry of that
// number. A lock is a file with the process of its writer and an end, which each file moves on.

import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { FeedError } from '../../../src/engine/errors'
import { type Category, fileIdKey } from '../../../src/sync/file-id'
import {
  type AppliedFile,
  NO_ROWS,
  type SyncTarget,
  type TargetCategory,
  type TargetFile,
} from '../../../src/sync/target/target'

export interface FileTargetOptions {
  /** Milliseconds for which a writer that gives no sign keeps the category. */
  readonly leaseMs?: number
  /** Called when all rows of a file are read, before its entry is made. */
  readonly beforeEntry?: (file: TargetFile) => void | Promise<void>
}

/** @param folder the place; each category has a folder in it */
export function fileTarget(folder: string, options: FileTargetOptions = {}): SyncTarget {
  return {
    name: 'files',
    open: async () => {
      const opened: FileCategory[] = []
      return {
        category: async category => {
          const one = new FileCategory(join(folder, category.categoryId), category, options)
          opened.push(one)
          return one
        },
        close: async () => {
          for (const one of opened) one.unlock()
        },
      }
    },
  }
}

/** The ledger of a category, as any process reads it. */
export function ledgerOf(folder: string, categoryId: string): AppliedFile[] {
  const entries = join(folder, categoryId, 'entries')
  if (!existsSync(entries)) return []
  return readdirSync(entries)
    .sort()
    .map(name => JSON.parse(readFileSync(join(entries, name), 'utf8')))
}

/** The keys of the applied files, in their order. */
export function filesIn(folder: string, categoryId: string): string[] {
  return ledgerOf(folder, categoryId).map(({ id }) => fileIdKey(id))
}

let lastWriter = 0

class FileCategory implements TargetCategory {
  readonly category: Category
  readonly #folder: string
  readonly #options: FileTargetOptions
  readonly #writer = `${process.pid}-${++lastWriter}`
  readonly #files: AppliedFile[]

  constructor(folder: string, category: Category, options: FileTargetOptions) {
    this.category = category
    this.#folder = folder
    this.#options = options
    mkdirSync(join(folder, 'entries'), { recursive: true })
    this.#lock()
    this.#files = ledgerOf(join(folder, '..'), category.categoryId)
  }

  get files(): readonly AppliedFile[] {
    return this.#files
  }

  async apply(file: TargetFile): Promise<AppliedFile> {
    let inserted = 0
    for await (const { length } of file.rows()) inserted += length
    await this.#options.beforeEntry?.(file)
    file.signal.throwIfAborted()
    const { id, identity, rawBytes, badRows } = file
    const sequence = this.#files.length + 1
    const rows = { ...NO_ROWS, inserted }
    const applied: AppliedFile = { id, ...identity, rawBytes, sequence, rows, badRows }
    const whole = join(this.#folder, `${this.#writer}.json`)
    writeFileSync(whole, JSON.stringify(applied))
    try {
      const name = `${String(sequence).padStart(6, '0')}.json`
      linkSync(whole, join(this.#folder, 'entries', name))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw this.#locked()
      throw error
    } finally {
      rmSync(whole)
    }
    this.#files.push(applied)
    return applied
  }

  async removalsForgotten(): Promise<Date | undefined> {
    return undefined
  }

  async forgetRemovals(): Promise<void> {}

  #lock(): void {
    const path = join(this.#folder, 'lock')
    const { leaseMs = 60_000 } = this.#options
    for (;;) {
      const content = JSON.stringify({
        writer: this.#writer,
        pid: process.pid,
        until: Date.now() + leaseMs,
      })
      try {
        writeFileSync(path, content, { flag: 'wx' })
        return
      } catch {
        const lock = this.#holder()
        if (lock !== undefined && isAlive(lock.pid) && lock.until > Date.now()) throw this.#locked()
        rmSync(path, { force: true })
      }
    }
  }

  unlock(): void {
    if (this.#holder()?.writer === this.#writer) rmSync(join(this.#folder, 'lock'))
  }

  #holder(): { readonly writer: string; readonly pid: number; readonly until: number } | undefined {
    try {
      return JSON.parse(readFileSync(join(this.#folder, 'lock'), 'utf8'))
    } catch {
      return undefined
    }
  }

  #locked(): FeedError {
    const path = this.#folder
    return new FeedError('STATE_LOCKED', `${path} has another writer`, { path })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

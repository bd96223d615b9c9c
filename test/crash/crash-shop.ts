// A service on a socket, and synchronisations in processes of their own, which a test kills.

import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createEmulator, type Emulator, type EmulatorOptions } from '../../src/emulator'
import type { SyncEvent } from '../../src/sync'
import type { MemoryShares } from '../../src/sync/memory-shares'
import { type OpenCategory, openState } from '../../src/sync/read/open-state'
import { builtScripts } from '../built-scripts'
import { itemText } from '../sync/small-run'
import type { WorkerOrder } from './worker'

/**
 * Builds the worker once for a test file.
 * @returns the path of its script
 */
export async function buildWorker(): Promise<string> {
  return join(await builtScripts('crash', { worker: 'test/crash/worker.ts' }), 'worker.js')
}

export interface Ended {
  /** True where the process was not killed. */
  readonly isDone: boolean
  readonly output: string
}

/** The content of a state folder: a text for each file, and one for the items of each category. */
export type FolderContent = Readonly<Record<string, string>>

export class CrashShop {
  readonly #emulator: Emulator
  readonly #order: Omit<WorkerOrder, 'folder'>
  readonly #script: string

  private constructor(emulator: Emulator, script: string, order: Omit<WorkerOrder, 'folder'>) {
    this.#emulator = emulator
    this.#script = script
    this.#order = order
  }

  static async open(
    script: string,
    options: EmulatorOptions,
    nowMs: number,
    shares: Partial<MemoryShares> = {},
  ): Promise<CrashShop> {
    const emulator = createEmulator({ ...options, now: new Date(nowMs) })
    const { url } = await emulator.listen()
    const { clientId, clientSecret, scopeBase, tokenPath } = emulator
    return new CrashShop(emulator, script, {
      url,
      tokenUrl: url + tokenPath,
      scopeBase,
      clientId,
      clientSecret,
      nowMs,
      shares,
    })
  }

  /**
   * Starts a run.
   * @param before words before the command: a tracer and its arguments
   */
  start(
    folder: string,
    before: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): ChildProcess {
    return this.#spawn({ ...this.#order, folder }, before, env)
  }

  /**
   * Starts a run that stops itself, as SIGSTOP would, at its first event of a type.
   * @returns the process, stopped, in the middle of its run
   */
  async startStopped(folder: string, stopsAt: SyncEvent['type']): Promise<ChildProcess> {
    const child = this.#spawn({ ...this.#order, folder, stopsAt })
    let output = ''
    // The line of the event is the last one before the process stops.
    while (!output.includes(`event ${stopsAt}\n`)) output += (await once(child.stdout!, 'data'))[0]
    return child
  }

  #spawn(
    order: WorkerOrder,
    before: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): ChildProcess {
    const [command = '', ...args] = [
      ...before,
      process.execPath,
      this.#script,
      JSON.stringify(order),
    ]
    return spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    })
  }

  async run(
    folder: string,
    before: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): Promise<Ended> {
    return ended(this.start(folder, before, env))
  }

  /** Returns the content of a folder without a run. */
  async contentOf(folder: string): Promise<FolderContent> {
    const content: Record<string, string> = {}
    const state = await openState(folder)
    try {
      for (const category of state.categories) {
        content[`items ${category.categoryId}`] = await itemsDigest(category)
        content[`ledger ${category.categoryId}`] = JSON.stringify(category.files)
        content[`watermark ${category.categoryId}`] = String(
          category.plan(new Date(this.#order.nowMs)).watermark?.toISOString(),
        )
      }
    } finally {
      await state.close()
    }
    for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (statSync(join(folder, path)).isDirectory()) continue
      content[path] = createHash('sha256')
        .update(readFileSync(join(folder, path)))
        .digest('hex')
    }
    return content
  }

  close(): Promise<void> {
    return this.#emulator.close()
  }
}

export async function itemsDigest(category: OpenCategory): Promise<string> {
  const items = createHash('sha256')
  for await (const block of category.items()) {
    for (const item of block) items.update(itemText(item))
  }
  return items.digest('hex')
}

export async function ended(child: ChildProcess): Promise<Ended> {
  let output = ''
  child.stdout?.on('data', part => (output += part))
  child.stderr?.on('data', part => (output += part))
  const code = await new Promise<number | null>(settle => child.on('close', settle))
  return { isDone: code === 0 && output.includes('"done":true'), output }
}

export async function newFolder(): Promise<string> {
  return join(await mkdtemp(join(tmpdir(), 'feedmill-crash-')), 'state')
}

export async function dropFolder(folder: string): Promise<void> {
  await rm(resolve(folder, '..'), { recursive: true, force: true })
}

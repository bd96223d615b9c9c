// Every kind of keyed store, new for each test. The tests of the contract run with all of them.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KeyedStore } from '../../src/state/keyed-store'
import { prefixedStore } from '../../src/state/keyed-store'
import { LevelStore } from '../../src/state/level/level-store'
import { MemoryStore } from '../../src/state/memory/memory-store'
import { SpillingStore } from '../../src/state/spilling-store'
import { WriteGroup } from '../../src/sync/folder/write-group'

export interface OpenStore {
  readonly store: KeyedStore
  /** Writes what is still in memory to the disk or to the store below. */
  settle(): Promise<void>
  dispose(): Promise<void>
}

async function inFolder<S extends KeyedStore>(
  make: (folder: string) => Promise<S>,
  settle: (store: S) => Promise<void>,
): Promise<OpenStore> {
  const folder = await mkdtemp(join(tmpdir(), 'feedmill-test-'))
  const store = await make(folder)
  return {
    store,
    settle: () => settle(store),
    async dispose() {
      await store.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const nothing = async () => {}
const inMemory = (store: KeyedStore): OpenStore => ({
  store,
  settle: nothing,
  dispose: async () => store.close(),
})
const inLevel = (folder: string) => LevelStore.open(folder, { durable: false })

export const STORES: Readonly<Record<string, () => Promise<OpenStore>>> = {
  memory: async () => inMemory(new MemoryStore()),
  level: () => inFolder(inLevel, store => store.flush()),
  'level, prefixed': () =>
    inFolder(
      async folder => {
        const level = await inLevel(folder)
        await level.write(
          ['', 'a', 'c/', 'e', 'd0'].map(key => ({
            key,
            value: Buffer.from(`not of the view: ${key}`),
          })),
        )
        const view = prefixedStore(level, 'd/')
        return Object.assign(view, { flush: () => level.flush(), close: () => level.close() })
      },
      store => store.flush(),
    ),
  'write group': async () => {
    const group = new WriteGroup(new MemoryStore())
    return { store: group, settle: () => group.commit(), dispose: nothing }
  },
  'write group on level': () =>
    inFolder(
      async folder => {
        const level = await inLevel(folder)
        return Object.assign(new WriteGroup(level), { close: () => level.close() })
      },
      group => group.commit(),
    ),
  'spilling, in memory': async () => inMemory(new SpillingStore()),
  'spilling at 2000 bytes': () =>
    inFolder(async folder => new SpillingStore({ memoryBytes: 2000, folder }), nothing),
  'spilling at once': () =>
    inFolder(async folder => new SpillingStore({ memoryBytes: 0, folder }), nothing),
}

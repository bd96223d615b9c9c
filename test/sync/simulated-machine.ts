// A simulated machine in memory for tests of crashes. Its files keep only synced data for certain
// after a power loss, its processes die at any call, and its disk fails. Equal seeds fail in equal
// ways. It is one piece, because files and processes fail by one count of calls.
//
// What the two kinds of a crash leave:
//   process   all writes to files stay, and stay unsynced
//   power     each file keeps what was synced, and any of the later writes, whole or cut short;
//             each folder keeps any of its unsynced changes

import { dirname } from 'node:path'
import type { DurableFile, DurableFiles } from '../../src/engine/disk/durable-files'
import { stateIo } from '../../src/engine/disk/state-errors'
import { FeedError } from '../../src/engine/errors'
import type { Environment } from '../../src/sync/folder/environment'
import type { FolderLock } from '../../src/sync/folder/folder-lock'

export type CrashKind = 'process' | 'power'

/** The failure at one call of a run. */
export interface Trouble {
  /** Number of the call, from 1. */
  readonly at: number
  /**
   * `before`: the process dies before the call has an effect. `within`: it dies during a write,
   * which is cut short. `after`: it dies after the effect, before the call returns. A code: the
   * call fails with it.
   */
  readonly what: 'before' | 'within' | 'after' | 'ENOSPC' | 'EIO'
  /** With a code: all later calls that write fail too. */
  readonly lasting?: boolean
}

/** The error of the call at which the process dies, and of every later call. */
export class Died extends Error {}

class Node {
  /** The content as the process sees it. */
  bytes = Buffer.alloc(0)
  /** The content on the disk. */
  synced = Buffer.alloc(0)
  /** The changes since the last sync, in order. */
  unsynced: { readonly offset: number; readonly bytes: Buffer | null }[] = []

  change(offset: number, bytes: Buffer | null): void {
    this.bytes = changed(this.bytes, offset, bytes)
    this.unsynced.push({ offset, bytes })
  }

  sync(): void {
    this.synced = this.bytes
    this.unsynced = []
  }

  copy(): Node {
    const node = new Node()
    node.bytes = Buffer.from(this.bytes)
    node.synced = Buffer.from(this.synced)
    node.unsynced = [...this.unsynced]
    return node
  }
}

/** A change of names in a folder: what each of them stands for. */
type NameChange = readonly (readonly [path: string, node: Node | null])[]

export class SimulatedMachine {
  /** Number of calls of the current process. */
  calls = 0
  /** Bytes that all processes have written. */
  bytesWritten = 0
  /** The calls of the current process, from which a test chooses. */
  readonly log: string[] = []
  readonly #random: () => number
  #names = new Map<string, Node>()
  #syncedNames = new Map<string, Node>()
  #nameChanges: NameChange[] = []
  #temporary = 0
  /** Folders that the current process has locked. The kernel frees them when the process ends. */
  readonly #locked = new Set<string>()
  #trouble: Trouble | undefined
  #dead = false

  constructor(seed: number) {
    this.#random = randomOf(seed)
  }

  /** Returns a machine with the same disk, on which no process runs. */
  copy(seed: number): SimulatedMachine {
    const nodes = new Map<Node, Node>()
    const copied = (node: Node): Node => {
      const known = nodes.get(node) ?? node.copy()
      nodes.set(node, known)
      return known
    }
    const named = (names: ReadonlyMap<string, Node>) =>
      new Map([...names].map(([path, node]) => [path, copied(node)]))
    const machine = new SimulatedMachine(seed)
    machine.#names = named(this.#names)
    machine.#syncedNames = named(this.#syncedNames)
    machine.#nameChanges = this.#nameChanges.map(change =>
      change.map(([path, node]) => [path, node && copied(node)] as const),
    )
    machine.#temporary = this.#temporary
    return machine
  }

  /** Starts a new process. Returns its environment, in which `trouble` happens. */
  start(trouble?: Trouble): Environment {
    this.calls = 0
    this.log.length = 0
    this.#trouble = trouble
    this.#dead = false
    this.#locked.clear()
    return {
      files: new Files(this),
      lockFolder: async folder => this.#lock(folder),
      makeTemporaryFolder: async () => `/tmp/reader-${++this.#temporary}`,
    }
  }

  /** Ends the process at once, and leaves the machine as the next process finds it. */
  crash(kind: CrashKind): void {
    this.#dead = true
    if (kind === 'power') this.#losePower()
  }

  /** Returns the content of all files below a folder, by their paths. */
  filesUnder(folder: string): Map<string, string> {
    const found = [...this.#names].filter(([path]) => path.startsWith(`${folder}/`))
    return new Map(
      found
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([path, { bytes }]) => [path, bytes.toString('latin1')]),
    )
  }

  /** Changes the content of a file; null removes it. */
  damage(path: string, change: (bytes: Buffer) => Buffer | null): void {
    const node = new Node()
    const bytes = change(Buffer.from(this.#names.get(path)!.bytes))
    if (bytes === null) this.#names.delete(path)
    else this.#names.set(path, Object.assign(node, { bytes, synced: bytes }))
  }

  // The parts of the environment follow.

  #lock(folder: string): FolderLock {
    return this.call('lock', folder, () => {
      if (this.#locked.has(folder))
        throw new FeedError('STATE_LOCKED', `${folder} is locked`, { path: folder })
      this.#locked.add(folder)
      return { check: async () => {}, release: async () => void this.#locked.delete(folder) }
    })
  }

  /**
   * Makes one call. `effect` applies the given share of it, which is below 1 only for a `write`
   * that is cut short.
   */
  call<T>(name: string, path: string, effect: (share: number) => T): T {
    if (this.#dead) throw new Died(`${name} of a dead process`)
    this.calls++
    this.log.push(`${name} ${path}`)
    const { at, what, lasting = false } = this.#trouble ?? { at: 0, what: 'before' }
    const writes = !/^(read|list|size|open)/.test(name)
    const isHit = this.calls === at || (lasting && at > 0 && this.calls > at && writes)
    if (!isHit) return effect(1)
    if (what === 'ENOSPC' || what === 'EIO') {
      // A write that fails may leave some of its bytes.
      if (name === 'write') effect(this.#random() * 0.99)
      throw stateIo(path, name, what)
    }
    this.#dead = what === 'before'
    if (what === 'within' && name === 'write') effect(this.#random())
    else if (what !== 'before') effect(1)
    this.#dead = true
    throw new Died(`${name} ${path}`)
  }

  node(path: string): Node | undefined {
    return this.#names.get(path)
  }

  changeNames(change: NameChange): void {
    setNames(this.#names, change)
    this.#nameChanges.push(change)
  }

  paths(): string[] {
    return [...this.#names.keys()]
  }

  syncFolder(folder: string): void {
    const isInside = ([first]: NameChange) => dirname(first![0]) === folder
    for (const change of this.#nameChanges.filter(isInside)) setNames(this.#syncedNames, change)
    this.#nameChanges = this.#nameChanges.filter(change => !isInside(change))
  }

  #losePower(): void {
    for (const change of this.#nameChanges)
      if (this.#random() < 0.5) setNames(this.#syncedNames, change)
    this.#names = new Map(this.#syncedNames)
    this.#nameChanges = []
    for (const node of new Set(this.#names.values())) {
      node.bytes = node.synced
      for (const { offset, bytes } of node.unsynced) {
        if (this.#random() < 0.5) continue
        const length =
          this.#random() < 0.5
            ? bytes?.length
            : Math.floor(this.#random() * ((bytes?.length ?? 0) + 1))
        node.bytes = changed(node.bytes, offset, bytes?.subarray(0, length) ?? null)
      }
      node.sync()
    }
  }
}

function setNames(names: Map<string, Node>, change: NameChange): void {
  for (const [path, node] of change) {
    if (node === null) names.delete(path)
    else names.set(path, node)
  }
}

/**
 * Returns the content after a write at an offset, or after a cut for null. A gap is filled with
 * zeros.
 */
function changed(before: Buffer, offset: number, bytes: Buffer | null): Buffer<ArrayBuffer> {
  const end = bytes === null ? offset : Math.max(before.length, offset + bytes.length)
  const after = Buffer.alloc(end)
  before.copy(after)
  if (bytes !== null) bytes.copy(after, offset)
  return after
}

class Files implements DurableFiles {
  readonly #machine: SimulatedMachine

  constructor(machine: SimulatedMachine) {
    this.#machine = machine
  }

  // A folder exists as soon as it has a file.
  async makeFolder(path: string): Promise<void> {
    this.#machine.call('mkdir', path, () => {})
  }

  async list(folder: string): Promise<readonly string[]> {
    return this.#machine.call('list', folder, () => {
      const inside = this.#machine.paths().filter(path => path.startsWith(`${folder}/`))
      return [...new Set(inside.map(path => path.slice(folder.length + 1).split('/')[0]!))].sort()
    })
  }

  async size(path: string): Promise<number | undefined> {
    return this.#machine.call('size', path, () => this.#machine.node(path)?.bytes.length)
  }

  async bytesUnder(folder: string): Promise<number> {
    const inside = this.#machine.paths().filter(path => path.startsWith(`${folder}/`))
    return inside.reduce((sum, path) => sum + this.#machine.node(path)!.bytes.length, 0)
  }

  async open(path: string): Promise<DurableFile | undefined> {
    return this.#machine.call('open', path, () => {
      const node = this.#machine.node(path)
      return node && new File(this.#machine, node, path)
    })
  }

  async edit(path: string): Promise<DurableFile> {
    return this.#machine.call('edit', path, () => {
      if (this.#machine.node(path) === undefined) this.#machine.changeNames([[path, new Node()]])
      return new File(this.#machine, this.#machine.node(path)!, path)
    })
  }

  async create(path: string): Promise<DurableFile> {
    return this.#machine.call('create', path, () => {
      if (this.#machine.node(path) !== undefined) throw stateIo(path, 'create', 'EEXIST')
      const node = new Node()
      this.#machine.changeNames([[path, node]])
      return new File(this.#machine, node, path)
    })
  }

  async rename(from: string, to: string): Promise<void> {
    this.#machine.call('rename', to, () => {
      const node = this.#machine.node(from)
      if (node === undefined) throw stateIo(to, 'rename', 'ENOENT')
      this.#machine.changeNames([
        [to, node],
        [from, null],
      ])
    })
  }

  async remove(path: string): Promise<void> {
    this.#machine.call('remove', path, share => {
      const inside = this.#machine
        .paths()
        .filter(found => found === path || found.startsWith(`${path}/`))
      for (const found of inside.slice(0, Math.ceil(inside.length * share)))
        this.#machine.changeNames([[found, null]])
    })
  }

  async syncFolder(path: string): Promise<void> {
    this.#machine.call('sync folder', path, () => this.#machine.syncFolder(path))
  }
}

class File implements DurableFile {
  readonly #machine: SimulatedMachine
  readonly #node: Node
  readonly #path: string

  constructor(machine: SimulatedMachine, node: Node, path: string) {
    this.#machine = machine
    this.#node = node
    this.#path = path
  }

  async read(offset: number, length: number, memory?: Uint8Array): Promise<Uint8Array> {
    return this.#machine.call('read', this.#path, () => {
      const bytes = this.#node.bytes.subarray(offset, offset + length)
      memory?.set(bytes)
      return memory?.subarray(0, bytes.length) ?? Uint8Array.from(bytes)
    })
  }

  async write(offset: number, bytes: Uint8Array): Promise<void> {
    const copy = Buffer.from(bytes)
    this.#machine.bytesWritten += copy.length
    this.#machine.call('write', this.#path, share =>
      this.#node.change(offset, copy.subarray(0, Math.ceil(copy.length * share))),
    )
  }

  async truncate(length: number): Promise<void> {
    this.#machine.call('truncate', this.#path, () => this.#node.change(length, null))
  }

  async size(): Promise<number> {
    return this.#machine.call('size', this.#path, () => this.#node.bytes.length)
  }

  async sync(): Promise<void> {
    this.#machine.call('sync', this.#path, () => this.#node.sync())
  }

  async close(): Promise<void> {}
}

/** Returns a generator of numbers from 0 to 1 (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

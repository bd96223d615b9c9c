// A temporary folder for files that only this process reads. It is made with its first file, and
// removed by `close`, by the garbage collector where its owner was dropped without that call, and at
// the latest when the process exits. A process that is killed leaves it behind.

import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type DurableFile,
  type DurableFiles,
  onDisk,
  removeAtExit,
  removeNow,
  scratchFiles,
  stateIo,
} from '../../engine/index'

/** A file that is read and written by one handle. */
export interface ScratchFile {
  readonly path: string
  readonly handle: DurableFile
}

/** What is on the disk. It does not refer to its folder object, which can so be collected. */
interface Scratch {
  path: string | undefined
  readonly files: Set<ScratchFile>
}

export class ScratchFolder {
  readonly #system: DurableFiles
  readonly #scratch: Scratch = { path: undefined, files: new Set() }
  #made = 0
  /** The last file that is being made. The promise never rejects. */
  #making: Promise<unknown> = Promise.resolve()
  #closing: Promise<void> | undefined

  /** @param system a test gives one that fails. Default: that of the machine */
  constructor(system: DurableFiles = scratchFiles) {
    this.#system = system
  }

  /** @throws FeedError STATE_IO */
  newFile(): Promise<ScratchFile> {
    const making = this.#newFile()
    this.#making = making.catch(() => {})
    return making
  }

  /** @throws FeedError STATE_IO */
  async remove(file: ScratchFile): Promise<void> {
    this.#scratch.files.delete(file)
    await file.handle.close()
    await this.#system.remove(file.path)
  }

  /** Closes the files, and removes them with the folder. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #newFile(): Promise<ScratchFile> {
    const parent = tmpdir()
    const scratch = this.#scratch
    // A stage that was destroyed may still be writing. Nobody would remove its new folder.
    if (this.#closing !== undefined)
      throw stateIo(scratch.path ?? parent, 'create', 'the folder was closed before')
    if (scratch.path === undefined) {
      scratch.path = await onDisk(parent, 'make a folder', () => mkdtemp(join(parent, 'feedmill-')))
      removeAtExit(scratch.path)
      dropped.register(this, scratch, this)
    }
    const path = join(scratch.path, String(this.#made++))
    const file = { path, handle: await this.#system.create(path) }
    scratch.files.add(file)
    return file
  }

  async #close(): Promise<void> {
    await this.#making
    dropped.unregister(this)
    await removeScratch(this.#scratch)
  }
}

async function removeScratch({ path, files }: Scratch): Promise<void> {
  await Promise.allSettled([...files].map(({ handle }) => handle.close()))
  if (path !== undefined) await onDisk(path, 'remove', () => removeNow(path))
}

/** The garbage collector must not close file handles, so this closes those of dropped folders. */
const dropped = new FinalizationRegistry<Scratch>(
  scratch => void removeScratch(scratch).catch(() => {}),
)

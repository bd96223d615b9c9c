// The folder of all spools of a run: the files that are being fetched, or wait for being applied.
// file/spool.ts owns one spool.

import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  corruptState,
  type DurableFile,
  type DurableFiles,
  onDisk,
  removeAtExit,
  removeNow,
  scratchFiles,
} from '../../engine/index'
import { Spool, type SpooledFile, spooledFile } from '../file/spool'
import { askedId, type FileId, fileIdKey, localNameOf } from '../file-id'

/**
 * Returns the name of a file's spool. It lacks the generation of a bootstrap, which is not known
 * while the file is fetched.
 */
export function spoolName(id: FileId): string {
  return localNameOf(askedId(id))
}

export class SpoolFolder {
  readonly #files: DurableFiles
  readonly #folder: string

  constructor(files: DurableFiles, folder: string) {
    this.#files = files
    this.#folder = folder
  }

  /**
   * Makes a folder for one run in `parent`. A run that is killed leaves it behind, and the next one
   * fetches its files again, so nothing in it is synced.
   */
  static async temporary(parent = tmpdir()): Promise<SpoolFolder> {
    const folder = await onDisk(parent, 'mkdtemp', () => mkdtemp(join(parent, 'feedmill-spool-')))
    removeAtExit(folder)
    return new SpoolFolder(scratchFiles, folder)
  }

  /** Opens the spool of a file with what an earlier run left, or an empty one. */
  open(id: FileId, pieceBytes: number): Promise<Spool> {
    return Spool.open({
      files: this.#files,
      folder: this.#path(id),
      key: fileIdKey(id),
      pieceBytes,
    })
  }

  /** Returns the names of the spools that are there. */
  async names(): Promise<ReadonlySet<string>> {
    return new Set(await this.#files.list(this.#folder))
  }

  /** Returns the file of a spool without opening the spool; undefined for an empty one. */
  file(id: FileId): Promise<SpooledFile | undefined> {
    return spooledFile(this.#files, this.#path(id))
  }

  /** Returns the path of the fetched bytes of a file. */
  dataPath(id: FileId): string {
    return join(this.#path(id), 'data')
  }

  /** Opens the fetched bytes of a file. @throws FeedError STATE_CORRUPT, STATE_IO */
  async data(id: FileId): Promise<DurableFile> {
    const path = this.dataPath(id)
    const data = await this.#files.open(path)
    if (data !== undefined) return data
    throw corruptState(path, 'the file that was being merged is missing')
  }

  remove(id: FileId): Promise<void> {
    return this.#files.remove(this.#path(id))
  }

  /**
   * Removes the spools that a category does not need: those of its files for which `isNeeded` is
   * false, and folders that are no spools.
   * @param prefix the `categoryKey` of the category
   */
  async removeOthers(prefix: string, isNeeded: (fileKey: string) => boolean): Promise<void> {
    for (const name of await this.names()) {
      const folder = join(this.#folder, name)
      const spooled = await spooledFile(this.#files, folder)
      const isOfAnother = spooled?.key.startsWith(prefix) === false
      if (!isOfAnother && !isNeeded(spooled?.key ?? '')) await this.#files.remove(folder)
    }
  }

  /** Removes the folder of a temporary one. */
  removeAll(): Promise<void> {
    return onDisk(this.#folder, 'remove', () => removeNow(this.#folder))
  }

  #path(id: FileId): string {
    return join(this.#folder, spoolName(id))
  }
}

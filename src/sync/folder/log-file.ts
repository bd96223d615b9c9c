// A file that is written from its start to its end, and whose committed length is stored with the
// rows that it belongs to. After a crash it is cut to that length, and what followed is written
// again. So each line is in the file once, and none without its row.

import type { DurableFile, DurableFiles } from '../../engine/index'
import { corruptState } from '../../engine/index'

export class LogFile {
  readonly #file: DurableFile
  #length: number
  #isSynced = true

  private constructor(file: DurableFile, length: number) {
    this.#file = file
    this.#length = length
  }

  /** @param length committed bytes of the file; the rest is cut off */
  static async open(files: DurableFiles, path: string, length: number): Promise<LogFile> {
    const file = await files.edit(path)
    try {
      const found = await file.size()
      if (found < length)
        throw corruptState(path, `${length} bytes were written, ${found} are there`)
      await file.truncate(length)
      return new LogFile(file, length)
    } catch (error) {
      await file.close()
      throw error
    }
  }

  /** @param bytes which the caller does not change until the call ends */
  async add(bytes: Uint8Array): Promise<void> {
    this.#isSynced = false
    await this.#file.write(this.#length, bytes)
    this.#length += bytes.length
  }

  /**
   * Makes durable what was added.
   * @returns the length of the file in bytes
   */
  async flush(): Promise<number> {
    if (!this.#isSynced) await this.#file.sync()
    this.#isSynced = true
    return this.#length
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}

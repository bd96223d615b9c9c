// The first cells of the rows that a target copies, as the text of a COPY: the category, the version
// and the checksum. copy-rows.ts writes the cells of the feed behind them.

import type { RegisterHead } from '../../engine/index'
import { compareVersions } from '../../engine/index'
import { type CopyBuffer, escapedCell } from './copy-buffer'

/** The cells of every row of a target before those of the feed: `HEAD_COLUMNS`. */
export class CopyHeads {
  readonly #category: string
  #latest: RegisterHead['version'] | undefined
  #bytes = Buffer.alloc(0)

  constructor(marketplace: string, categoryId: string) {
    this.#category = `${escapedCell(marketplace)}\t${escapedCell(categoryId)}`
  }

  write({ version, checksum }: RegisterHead, target: CopyBuffer): void {
    if (this.#latest === undefined || compareVersions(version, this.#latest) !== 0) {
      const { timeMs, removed, generatedMs } = version
      this.#latest = version
      this.#bytes = Buffer.from(`${this.#category}\t${timeMs}\t${removed}\t${generatedMs}\t`)
    }
    target.raw(this.#bytes, 0, this.#bytes.length)
    target.digits(checksum)
  }
}

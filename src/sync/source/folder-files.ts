// Lists the files of a folder as those of a feed of one's own. Which names are those of its files is
// the same for a bucket.

import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { is, type OptionTable, optionInvalid, type Read, readOptions } from '../../engine/index'
import type { SourceFile } from './feed-source'

/** Which names are those of files of a feed, and of which kind and time these are. */
export interface FileNaming {
  /**
   * The names of the full files: `*` stands for any characters, and `?` for one. Default: none.
   */
  readonly full?: string
  /** The names of the files of changes, in the same way. Default: none. */
  readonly changes?: string
  /** Returns the time of a file by its name. Default: the time of its last change. */
  readonly timeOf?: (name: string) => Date
}

export interface FolderFilesOptions extends FileNaming {
  /** The folder of the files. Its subfolders are left out. */
  readonly folder: string
}

export const NAMING = {
  full: [namesOf],
  changes: [namesOf],
  timeOf: [is.callback],
} satisfies OptionTable<FileNaming>
const OPTIONS = { folder: is.filePath, ...NAMING } satisfies OptionTable<FolderFilesOptions>

/**
 * Makes the `files` of a {@link FeedSource} for a folder: a function that lists the files whose
 * names fit. A file has its name and its time as its identifier, so a file that is replaced, and
 * gets another time, is applied as a new one. A name that fits both patterns is a full file, and a
 * hidden file is left out. Write a file under another name and rename it, so that no run reads half
 * of it.
 * @throws FeedError OPTION_INVALID
 * @example
 * ```ts
 * import { mkdirSync, writeFileSync } from 'node:fs'
 * import { folderFiles } from 'feedmill/sync'
 *
 * mkdirSync('exports')
 * writeFileSync('exports/stock-2026-03-01.csv', 'sku,stock\nA-1,12\n')
 * const timeOf = (name: string) => new Date(name.slice(6, 16))
 * const files = folderFiles({ folder: 'exports', full: 'stock-*.csv', timeOf })
 * for (const { id, kind } of await files()) console.log(kind, id)
 * // => full stock-2026-03-01.csv 2026-03-01T00:00:00.000Z
 * ```
 */
export function folderFiles(options: FolderFilesOptions): () => Promise<SourceFile[]> {
  const { folder, ...naming } = readOptions(options, OPTIONS)
  const fileOf = fileNamer(naming)
  return async () => {
    const files: SourceFile[] = []
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) continue
      const from = join(folder, entry.name)
      // A file may be removed while the folder is listed.
      const file = await fileOf(entry.name, async () => (await stat(from).catch(() => {}))?.mtime)
      if (file !== undefined) files.push({ ...file, from })
    }
    return files
  }
}

/**
 * Returns a function that tells which file of a feed has a name; none where no pattern fits it, or
 * where it has no time. A name that fits both patterns is that of a full file, and a hidden one of
 * none.
 * @throws FeedError OPTION_INVALID without a pattern
 */
export function fileNamer({ full, changes, timeOf }: Read<FileNaming, typeof NAMING>) {
  if (full === undefined && changes === undefined)
    throw optionInvalid('full', 'a pattern of names, unless changes is one', full)
  return async (
    name: string,
    changedAt: () => Date | undefined | Promise<Date | undefined>,
  ): Promise<Omit<SourceFile, 'from'> | undefined> => {
    const kind = full?.(name) ? 'full' : changes?.(name) ? 'changes' : undefined
    if (kind === undefined || /(?:^|\/)\.[^/]*$/.test(name)) return undefined
    const time = timeOf ? is.validDate(`timeOf('${name}')`, timeOf(name)) : await changedAt()
    return time && { id: `${name} ${time.toISOString()}`, kind, time }
  }
}

/**
 * Returns a function that tells whether a name fits. Behind a part that fits, an earlier star never
 * has to take more, so the time of a name grows with its length and not with the number of stars.
 */
function namesOf(option: string, pattern: string): (name: string) => boolean {
  const letters = [...is.filledText(option, pattern)]
  return name => {
    const given = [...name]
    let [at, n] = [0, 0]
    /** The last star, and how many letters it and those before it took. */
    let star = -1
    let taken = 0
    while (n < given.length) {
      if (letters[at] === '*') {
        star = at++
        taken = n
      } else if (letters[at] === '?' || letters[at] === given[n]) {
        at++
        n++
      } else if (star < 0) return false
      else {
        at = star + 1
        n = ++taken
      }
    }
    return letters.slice(at).every(letter => letter === '*')
  }
}

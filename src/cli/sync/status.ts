// `feedmill status`: shows the progress of a state folder, the files that it lacks, and its size on
// the disk.

import {
  type AppliedFile,
  type CategoryPlan,
  type FileId,
  fileIdKey,
  type OpenCategory,
  type OpenState,
  openState,
  targetStatus,
} from '../../sync'
import { byteSizeText } from '../byte-size'
import { jsonText, print } from '../output'
import type { StatusCommand } from './state-commands'
import { keyText } from './sync-lines'
import { targetOf } from './target-option'

/** The object that `--json` prints in one line. Files have their keys. */
export interface StateStatus {
  readonly marketplace: string
  readonly service: string
  /** The size in bytes; null for a database. */
  readonly sizes: Awaited<ReturnType<OpenState['sizes']>> | null
  readonly categories: readonly CategoryStatus[]
}

export interface CategoryStatus {
  readonly categoryId: string
  /** The watermark: the state is the truth of this time. Null before the first bootstrap. */
  readonly watermark: Date | null
  /** The number of files in the state. */
  readonly files: number
  /** The rows of these files that could not be merged. */
  readonly rowsLeftOut: number
  /** The cells of their merged rows that are not of their column's type; null for a database. */
  readonly badCells: number | null
  /** The files that the service should have and the state lacks. */
  readonly due: FileSpan
  /** The files that the state needs and the service no longer keeps. */
  readonly lost: FileSpan
  /** The feeds that need a newer bootstrap. */
  readonly needsBootstrap: readonly string[]
  /** Why the items cannot be read; null where they can. */
  readonly problem: { readonly code: string; readonly message: string } | null
  /** The next file that the service will publish. */
  readonly next: { readonly file: string; readonly from: Date } | null
}

/** The text shows only some of them, because there may be thousands. */
export interface FileSpan {
  readonly count: number
  readonly first: string | null
  readonly last: string | null
}

export async function statusCommand(
  folder: string | undefined,
  { now = new Date(), json, to }: StatusCommand,
): Promise<void> {
  const status = to === undefined ? await folderStatus(folder!, now) : await placeStatus(to, now)
  await print(json ? jsonText(status) : statusLines(status))
}

async function placeStatus(place: string, now: Date): Promise<StateStatus> {
  const { service, categories } = await targetStatus(await targetOf(place), { now })
  return {
    marketplace: [...new Set(categories.map(({ category }) => category.marketplace))].join(', '),
    service,
    sizes: null,
    categories: categories.map(({ category, files, plan }) =>
      statusOf({ ...category, files }, plan, false),
    ),
  }
}

async function folderStatus(folder: string, now: Date): Promise<StateStatus> {
  const state = await openState(folder)
  try {
    const { marketplace, service } = state.origin
    const categories = state.categories.map(category =>
      statusOf(category, category.plan(now), true),
    )
    return { marketplace, service, sizes: await state.sizes(), categories }
  } finally {
    await state.close()
  }
}

function statusOf(
  {
    categoryId,
    files,
    problem,
  }: Pick<OpenCategory, 'categoryId'> & {
    readonly problem?: OpenCategory['problem']
    readonly files: readonly Pick<AppliedFile, 'badRows' | 'badCells'>[]
  },
  plan: CategoryPlan,
  isFolder: boolean,
): CategoryStatus {
  const { watermark, ready, held, gone, waiting, needsBootstrap } = plan
  const [next] = waiting
    .flatMap(({ id, from }) => (from === undefined ? [] : [{ file: fileIdKey(id), from }]))
    .sort((a, b) => a.from.getTime() - b.from.getTime())
  return {
    categoryId,
    watermark: watermark ?? null,
    files: files.length,
    rowsLeftOut: files.reduce((sum, { badRows }) => sum + badRows, 0),
    badCells: isFolder ? files.reduce((sum, { badCells = 0 }) => sum + badCells, 0) : null,
    due: spanOf([...ready, ...held]),
    lost: spanOf(gone),
    needsBootstrap: needsBootstrap.map(({ feed }) => feed),
    problem: problem === undefined ? null : { code: problem.code, message: problem.message },
    next: next ?? null,
  }
}

function spanOf(files: readonly FileId[]): FileSpan {
  const [first, last] = [files[0], files.at(-1)].map(file =>
    file === undefined ? null : fileIdKey(file),
  )
  return { count: files.length, first: first!, last: last! }
}

function statusLines({ marketplace, service, sizes, categories }: StateStatus): string[] {
  const disk = Object.entries(sizes ?? {}).map(([part, bytes]) => `${part} ${byteSizeText(bytes)}`)
  return [
    `${marketplace} of ${service}`,
    ...(disk.length > 0 ? [`on the disk: ${disk.join(', ')}`] : []),
    ...categories.flatMap(categoryLines),
  ]
}

function categoryLines({
  categoryId,
  watermark,
  files,
  rowsLeftOut,
  badCells,
  due,
  lost,
  needsBootstrap,
  problem,
  next,
}: CategoryStatus): string[] {
  const until = watermark === null ? 'no bootstrap yet' : `up to ${watermark.toISOString()}`
  return [
    `category ${categoryId}: ${until}, ${files} files`,
    ...(rowsLeftOut > 0 ? [`  rows left out: ${rowsLeftOut}`] : []),
    ...(badCells !== null && badCells > 0
      ? [`  cells not of their column's type: ${badCells}`]
      : []),
    ...spanLines('due', due),
    ...spanLines('lost', lost),
    ...(needsBootstrap.length > 0 ? [`  needs a new bootstrap: ${needsBootstrap.join(', ')}`] : []),
    ...(problem === null ? [] : [`  cannot be read: ${problem.code}: ${problem.message}`]),
    ...(next === null ? [] : [`  next: ${keyText(next.file)}, at ${next.from.toISOString()}`]),
  ]
}

function spanLines(what: string, { count, first, last }: FileSpan): string[] {
  if (first === null || last === null) return []
  return [
    `  ${what}: ${count === 1 ? keyText(first) : `${count} files, ${keyText(first)} to ${keyText(last)}`}`,
  ]
}

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
export type StateStatus = Awaited<ReturnType<typeof folderStatus | typeof placeStatus>>
type CategoryStatus = ReturnType<typeof statusOf> | ReturnType<typeof ownStatus>
type FileSpan = ReturnType<typeof spanOf>

export async function statusCommand(
  folder: string | undefined,
  { now = new Date(), json, to }: StatusCommand,
): Promise<void> {
  const status = to === undefined ? await folderStatus(folder!, now) : await placeStatus(to, now)
  await print(json ? jsonText(status) : statusLines(status))
}

async function placeStatus(place: string, now: Date) {
  const { service, categories } = await targetStatus(await targetOf(place), { now })
  return {
    marketplace: [...new Set(categories.map(({ category }) => category.marketplace))].join(', '),
    service,
    /** The size in bytes, which a folder has. */
    sizes: null,
    categories: categories.map(({ category, files, plan }) =>
      statusOf({ ...category, files }, plan, false),
    ),
  }
}

async function folderStatus(folder: string, now: Date) {
  const state = await openState(folder)
  try {
    const { marketplace, service } = state.origin
    const categories = state.categories.map(category =>
      statusOf(category, category.plan(now), true),
    )
    const own = state.feedNames.map(name => ownStatus(state, name))
    return { marketplace, service, sizes: await state.sizes(), categories: [...categories, ...own] }
  } finally {
    await state.close()
  }
}

/** Only the list of a feed knows which of its files are due. */
function ownStatus(state: OpenState, name: string) {
  const { files, watermark } = state.feed({ name, schema: { name, columns: {} } })
  const plan = { watermark, ready: [], held: [], gone: [], waiting: [], needsBootstrap: [] }
  return { ...statusOf({ categoryId: name, files }, plan, true), due: null }
}

function statusOf(
  {
    categoryId,
    files,
  }: Pick<OpenCategory, 'categoryId'> & {
    readonly files: readonly Pick<AppliedFile, 'badRows' | 'badCells'>[]
  },
  plan: CategoryPlan,
  isFolder: boolean,
) {
  const { watermark, ready, held, gone, waiting, needsBootstrap } = plan
  const [next] = waiting
    .flatMap(({ id, from }) => (from === undefined ? [] : [{ file: fileIdKey(id), from }]))
    .sort((a, b) => a.from.getTime() - b.from.getTime())
  return {
    categoryId,
    /** The state is the truth of this time. Null before the first bootstrap. */
    watermark: watermark ?? null,
    /** The number of files in the state. */
    files: files.length,
    /** The rows of these files that could not be merged. */
    rowsLeftOut: files.reduce((sum, { badRows }) => sum + badRows, 0),
    /** The cells of their merged rows that are not of their column's type; null for a database. */
    badCells: isFolder ? files.reduce((sum, { badCells = 0 }) => sum + badCells, 0) : null,
    /** The files that the service should have and the state lacks. */
    due: spanOf([...ready, ...held]),
    /** The files that the state needs and the service no longer keeps. */
    lost: spanOf(gone),
    /** The feeds that need a newer bootstrap. */
    needsBootstrap: needsBootstrap.map(({ feed }) => feed),
    /** The next file that the service will publish. */
    next: next ?? null,
  }
}

/** Not all files, because there may be thousands. */
function spanOf(files: readonly FileId[]) {
  const [first = null, last = null] = [files[0], files.at(-1)].map(file =>
    file === undefined ? null : fileIdKey(file),
  )
  return { count: files.length, first, last }
}

function statusLines({ marketplace, service, sizes, categories }: StateStatus): string[] {
  const disk = Object.entries(sizes ?? {}).map(([part, bytes]) => `${part} ${byteSizeText(bytes)}`)
  return [
    service === 'own' ? 'feeds of your own' : `${marketplace} of ${service}`,
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
    ...(next === null ? [] : [`  next: ${keyText(next.file)}, at ${next.from.toISOString()}`]),
  ]
}

function spanLines(what: string, span: FileSpan | null): string[] {
  const { count, first, last } = span ?? { count: 0, first: null, last: null }
  if (first === null || last === null) return []
  return [
    `  ${what}: ${count === 1 ? keyText(first) : `${count} files, ${keyText(first)} to ${keyText(last)}`}`,
  ]
}

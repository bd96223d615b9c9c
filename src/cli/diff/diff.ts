// `feedmill diff BEFORE AFTER`: shows what differs between two feed files or state folders.

import { stat } from 'node:fs/promises'
import {
  diffRows,
  FeedError,
  NodeTransport,
  type PipelineSummary,
  type Row,
  type RowDiff,
  type RowDifference,
} from '../../index'
import { readablePlace } from '../bucket-place'
import { FAILURE } from '../exit-code'
import { leftOutIn, rowsOf, STANDARD_INPUT, shownPlace } from '../feed-file-rows'
import { jsonText, print, printError } from '../output'
import { describedByOptions } from '../schema-file'
import { categoriesOf, openServiceState } from '../sync/service-state'
import { untilSignal } from '../sync/stop-signals'
import { cutText } from '../text-table'
import { usageError } from '../usage-error'
import type { DiffCommand } from './diff-command'

/** The most characters of a cell in a line of text. */
const CELL_CHARACTERS = 80
const SIGNS = { inserted: '+', deleted: '-', updated: '~' } as const
const SIDES = ['before', 'after'] as const
type Side = (typeof SIDES)[number]

/**
 * Reads both sides to their ends, and prints what differs in the order of the keys. Standard error
 * gets the counts. The exit code is 1 where a row or a column differs.
 * @throws FeedError OPTION_INVALID, the errors of both sources and of their content, SINK_FAILED
 */
export async function diffCommand(
  before: string,
  after: string,
  options: DiffCommand,
): Promise<void> {
  if (before === STANDARD_INPUT && after === STANDARD_INPUT)
    throw usageError('after', 'a file, an address or a state folder beside -', 'a second -')
  const file = await describedByOptions(options)
  const transport = new NodeTransport()
  const places = { before, after }
  const leftOut = { before: 0, after: 0 }
  let reading: Side = 'before'
  async function* rowsAt(side: Side, signal: AbortSignal): AsyncGenerator<Iterable<Row>> {
    reading = side
    const onSettled = (summary: PipelineSummary) => {
      leftOut[side] += leftOutIn(summary)
    }
    if (await isFolder(places[side])) yield* stateRows(places[side], options.category, signal)
    else {
      const place = await readablePlace(places[side], transport)
      const running = { signal, onSettled }
      yield* rowsOf(place.from, place.transport, running, file, options).batches()
    }
  }
  const onBadRow = (_: FeedError, side: Side) => void leftOut[side]++
  const skipping = options.badRows === 'skip' && { onBadRow }
  try {
    await untilSignal(async signal => {
      const settings = { key: options.key, signal, ...skipping }
      const [one, other] = [rowsAt('before', signal), rowsAt('after', signal)]
      const diff = await diffRows(one, other, settings).catch((error: unknown) => {
        throw placed(error, shownPlace(places[reading]))
      })
      try {
        await printDiff(diff, options)
      } finally {
        await diff.close()
      }
      for (const side of SIDES)
        printError(notes(shownPlace(places[side]), leftOut[side], diff.repeated[side]))
    })
  } finally {
    await transport.close()
  }
}

async function isFolder(place: string): Promise<boolean> {
  if (place === STANDARD_INPUT) return false
  return stat(place).then(
    found => found.isDirectory(),
    () => false,
  )
}

async function* stateRows(
  folder: string,
  wanted: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<readonly Row[]> {
  const state = await openServiceState(folder, { signal })
  try {
    for (const category of categoriesOf(folder, state, wanted))
      for await (const items of category.items()) yield items.map(({ row }) => row)
  } finally {
    await state.close()
  }
}

/** An error about a row does not say which of the two files has it. */
function placed(error: unknown, file: string): unknown {
  if (!FeedError.is(error) || 'file' in error.context) return error
  const context = { ...error.context, file } as never
  return new FeedError(error.code, error.message, context, { cause: error })
}

async function printDiff(diff: RowDiff, { json, key }: DiffCommand): Promise<void> {
  const { removedColumns: removed, addedColumns: added, tally } = diff
  const columns = Object.entries({ removed, added }).filter(([, names]) => names.length > 0)
  if (columns.length > 0)
    await print(
      json
        ? jsonText({ kind: 'columns', removed, added })
        : columns.map(([what, names]) => `${what} columns: ${names.join(', ')}`),
    )
  for await (const found of diff)
    await print(found.map(each => (json ? jsonOf(each, key) : lineOf(each))))
  printError(
    Object.entries(tally)
      .map(([kind, rows]) => `${rows} ${kind}`)
      .join(', '),
  )
  if (columns.length + tally.inserted + tally.updated + tally.deleted > 0)
    process.exitCode = FAILURE
}

function lineOf({ kind, key, cells }: RowDifference): string {
  const texts = cells.map(
    ({ column, before, after }) => `${column}: ${shown(before)} → ${shown(after)}`,
  )
  return `${SIGNS[kind]} ${key.join(', ')}${texts.length === 0 ? '' : `  ${texts.join(', ')}`}`
}

function shown(cell: string): string {
  return cell === '' ? '(empty)' : cutText(cell, CELL_CHARACTERS)
}

/** A line has the texts of all cells of the key, and of an updated row both texts of each cell. */
function jsonOf({ kind, key, cells }: RowDifference, names: readonly string[]): string {
  const texts = cells.map(({ column, before, after }) => [column, [before, after]])
  return jsonText({
    kind,
    key: Object.fromEntries(names.map((name, n) => [name, key[n]])),
    ...(kind === 'updated' && { cells: Object.fromEntries(texts) }),
  })
}

function notes(place: string, leftOut: number, repeated: number): string[] {
  const all = {
    'rows left out': leftOut,
    'rows have the key of a later row, which counts': repeated,
  }
  return Object.entries(all).flatMap(([what, rows]) =>
    rows > 0 ? `${place}: ${rows} ${what}` : [],
  )
}

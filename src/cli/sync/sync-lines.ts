// Formats the events of a synchronisation as lines for people and as JSON lines. Times are UTC.

import type { FeedError } from '../../index'
import {
  type AppliedFile,
  type FileId,
  fileIdKey,
  type SyncEvent,
  type SyncProgress,
  type SyncSummary,
} from '../../sync'
import { byteSizeText } from '../byte-size'
import { jsonText } from '../output'

type CategoryProgress = SyncProgress['categories'][number]

const BAD_CELLS = "cells not of their column's type"

/** Returns a line for people. Returns undefined for an event that only matters at its moment. */
export function eventLine(event: SyncEvent): string | undefined {
  switch (event.type) {
    case 'done': {
      const { rows, badRows, totalBytes } = event.entry
      const { inserted, updated, deleted, unchanged, stale } = rows
      const left = badRows > 0 ? `, ${badRows} rows cannot be read` : ''
      return `${fileText(event.file)}: ${byteSizeText(totalBytes)} of gzip, ${inserted} inserted, ${updated} updated, ${deleted} deleted, ${unchanged + stale} no news${left}${badCellText(event.entry)}`
    }
    case 'missing':
      return `${fileText(event.file)}: not there yet`
    case 'failed':
      return `${fileText(event.file)}: ${event.error.code}: ${event.error.message}`
    case 'retry':
      return `${fileText(event.file)}: ${event.error.code}: ${event.error.message}; asked again in ${(event.delayMs / 1000).toFixed(1)} s`
    default:
      return undefined
  }
}

function badCellText({ badCells = 0, firstBadCell }: AppliedFile): string {
  if (firstBadCell === undefined) return ''
  const { key, row, column, excerpt } = firstBadCell
  return `, ${badCells} ${BAD_CELLS}, the first in row ${row}, ${key}: ${column} ${JSON.stringify(excerpt)}`
}

/**
 * Returns the text beside the progress bar: what is read first comes first, because a terminal shows
 * no more than its width. Of several categories it has the one that is the furthest behind.
 * @param doing what the run does for a category
 */
export function progressText(
  { categories, rows, bytesPerSecond, secondsLeft }: SyncProgress,
  doing: ReadonlyMap<string, string> = new Map(),
): string {
  const startOf = ({ watermark }: CategoryProgress) => watermark?.getTime() ?? 0
  const [behind] = [...categories].sort((a, b) => startOf(a) - startOf(b))
  const at = behind?.watermark === undefined ? doing.get(behind?.categoryId ?? '') : undefined
  return [
    ...(secondsLeft === undefined ? [] : [`${Math.ceil(secondsLeft)} s left`]),
    `${rows} rows`,
    `${byteSizeText(Math.round(bytesPerSecond))}/s`,
    ...(categories.length > 1 ? [`${categories.length} categories`] : []),
    ...(behind ? [at === undefined ? watermarkText(behind) : `${behind.categoryId} ${at}`] : []),
  ].join(', ')
}

/** Returns the end of a run: one line for all, and one for each category. */
export function summaryLines(summary: SyncSummary): string[] {
  const { categories, files, rows, bytes, seconds, rowsRead, rowsKept, rowsLeftOut, badCells } =
    summary
  const read = `${rowsRead} rows read, ${rowsKept} kept, ${rowsLeftOut} left out`
  return [
    `${files} files, ${rows} rows, ${byteSizeText(bytes)} of gzip fetched and merged in ${seconds.toFixed(1)} s`,
    ...(rowsLeftOut > 0 ? [read] : []),
    ...(badCells > 0 ? [`${badCells} ${BAD_CELLS}`] : []),
    ...categories.map(category => watermarkText(category) + gapText(category)),
  ]
}

/**
 * Returns a line for each file that could not be fetched, and for each category that has lost a
 * file and cannot go on without a new bootstrap: for people, or as JSON.
 */
export function failureLines({ failed, categories }: SyncSummary, isJson: boolean): string[] {
  const lost = categories.flatMap(({ gone }) => gone.filter(needsBootstrap).slice(0, 1))
  const failures = [...failed, ...lost.map(file => ({ file, error: LOST }))]
  return failures.map(({ file, error }) =>
    isJson
      ? jsonText({ error: fileObject({ file, error }) })
      : `feedmill: ${error.code}: ${fileText(file)}: ${error.message}`,
  )
}

type ErrorFacts = Pick<FeedError, 'code' | 'message'>

const LOST: ErrorFacts = {
  code: 'SYNC_FILE_FAILED',
  message: 'lost for good, and the service has no newer bootstrap yet',
}

/** A lost day of items or priorities is no reason for a new bootstrap. */
function needsBootstrap({ feed }: FileId): boolean {
  return feed === 'item_snapshot' || feed === 'item_group'
}

/**
 * Returns an event or the summary as a plain object. Files have their keys, errors have code and
 * message.
 */
export function eventObject(
  event: SyncEvent | ({ readonly type: 'summary' } & SyncSummary),
): Record<string, unknown> {
  switch (event.type) {
    case 'done': {
      const { totalBytes, rawBytes, rows, badRows, rowsRead, badCells, firstBadCell } = event.entry
      const bad = { badRows, badCells, firstBadCell }
      return { ...fileObject(event), totalBytes, rawBytes, rows, ...bad, rowsRead }
    }
    case 'watermark':
      return { type: event.type, ...event.category, watermark: event.watermark }
    case 'progress':
      return { ...event, categories: event.categories.map(categoryObject) }
    case 'summary':
      return {
        ...event,
        categories: event.categories.map(categoryObject),
        failed: event.failed.map(fileObject),
      }
    default:
      return fileObject(event)
  }
}

function fileObject(event: { readonly file: FileId; readonly error?: ErrorFacts }) {
  const { file, error, entry: _, ...facts } = event as typeof event & { readonly entry?: unknown }
  const { code, message } = error ?? {}
  return { ...facts, file: fileIdKey(file), ...(error && { code, message }) }
}

/**
 * Returns the name of a file for people: its category, its feed, and its day, hour or generation.
 */
export function fileText(file: FileId): string {
  return keyText(fileIdKey(file))
}

/**
 * Returns the name for the key of a file. It leaves out the marketplace, because a state folder has
 * only one.
 */
export function keyText(key: string): string {
  return key.split('/').slice(1).join(' ')
}

function watermarkText({ categoryId, watermark }: CategoryProgress): string {
  return `${categoryId} ${watermark === undefined ? 'has no bootstrap yet' : `up to ${watermark.toISOString()}`}`
}

function gapText({ missing, gone }: CategoryProgress): string {
  const waits = missing.length > 0 ? `, waits for ${someText(missing)}` : ''
  return gone.length > 0 ? `${waits}, lost for good: ${someText(gone)}` : waits
}

function someText([first, ...others]: readonly FileId[]): string {
  return `${first === undefined ? '' : fileText(first)}${others.length > 0 ? ` and ${others.length} more` : ''}`
}

function categoryObject({ missing, gone, ...category }: CategoryProgress): Record<string, unknown> {
  return { ...category, missing: missing.map(fileIdKey), gone: gone.map(fileIdKey) }
}

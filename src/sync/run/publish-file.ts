// Publishes an applied file on the channel feedmill:file.

import { type DiagnosticsMessages, fileTopic, ofRun } from '../../engine/index'
import { type FileId, fileIdKey, isBootstrap, isOwn } from '../file-id'
import type { AppliedFile } from '../target/target'

type FileMessage = DiagnosticsMessages['feedmill:file']

/** @param watermark returns that of the category after the file */
export function publishFile(entry: AppliedFile, watermark: () => Date | undefined): void {
  if (fileTopic.hasSubscribers) fileTopic.publish(fileMessage(entry, watermark()))
}

function fileMessage(entry: AppliedFile, watermark: Date | undefined): FileMessage {
  const { id, rows, badRows, totalBytes } = entry
  return {
    ...ofRun(),
    marketplace: id.marketplace,
    categoryId: id.categoryId,
    feed: id.feed,
    kind: kindOf(id),
    file: fileIdKey(id),
    rows: { ...rows },
    badRows,
    bytes: totalBytes,
    ...(watermark && { watermark }),
  }
}

function kindOf(id: FileId): FileMessage['kind'] {
  if (isOwn(id)) return id.kind
  if (isBootstrap(id)) return 'bootstrap'
  return 'hour' in id ? 'hourly' : 'daily'
}

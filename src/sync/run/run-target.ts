// Opens the target of a run together with the folder of its spools: the run's own state folder, or
// the target that its caller gave and a temporary folder.

import { FolderTarget } from '../folder/folder-target'
import type { SyncSettings } from '../sync-options'
import { SpoolFolder } from '../target/spool-folder'
import type { OpenTarget, SyncTarget } from '../target/target'

export interface RunTarget extends Pick<OpenTarget, 'category' | 'close'> {
  readonly spools: SpoolFolder
}

export interface RunTargetOptions {
  readonly signal: AbortSignal
  /** Called with the number of rows that a state folder has merged. */
  readonly onRows: (rows: number) => void
}

export function openRunTarget(
  settings: SyncSettings,
  options: RunTargetOptions,
): Promise<RunTarget> {
  return settings.target === undefined
    ? openFolder(settings, settings.folder, options)
    : openGiven(settings, settings.target, options.signal)
}

function openFolder(
  settings: SyncSettings,
  folder: string,
  { signal, onRows }: RunTargetOptions,
): Promise<RunTarget> {
  const { shares, keepFileBytes, keepChangeBytes, changes, changeRows } = settings
  const { quarantine, maxRemovedShare } = settings
  const isSink = typeof changes === 'object'
  return FolderTarget.open({
    folder,
    origin: originOf(settings),
    storeBytes: shares.storeBytes,
    environment: settings.environment,
    beforeRows: changeRows === 'both',
    apply: {
      maxRemovedShare,
      settled: {
        changes: isSink ? 'sink' : changes,
        changeRows,
        keep: keepFileBytes > 0,
        quarantine,
      },
    },
    finish: {
      commitBytes: shares.commitBytes,
      readBytes: shares.readBytes,
      batchBytes: shares.batchBytes,
      keepFileBytes,
      keepChangeBytes,
      signal,
      sink: isSink ? changes : undefined,
      onRows,
    },
  })
}

async function openGiven(
  settings: SyncSettings,
  target: SyncTarget,
  signal: AbortSignal,
): Promise<RunTarget> {
  const spools = await SpoolFolder.temporary(settings.spoolFolder)
  try {
    const memoryBytes = settings.shares.storeBytes
    const open = await target.open({ origin: originOf(settings), memoryBytes, signal })
    return {
      spools,
      category: category => open.category(category),
      close: async () => {
        try {
          await open.close()
        } finally {
          await spools.removeAll()
        }
      },
    }
  } catch (error) {
    // The run fails with the first failure.
    await spools.removeAll().catch(() => {})
    throw error
  }
}

function originOf({ marketplace, service }: SyncSettings) {
  return { marketplace, service: service.profile.baseUrl }
}

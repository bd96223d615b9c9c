// A target that gets other files than its run gives it: files with other rows, or failing ones.

import type { SyncTarget, TargetFile } from '../../../src/sync/target/target'

/** @param change returns the file that the target gets, and may do something before */
export function changedTarget(
  target: SyncTarget,
  change: (file: TargetFile) => TargetFile | Promise<TargetFile>,
): SyncTarget {
  return {
    name: target.name,
    async open(options) {
      const open = await target.open(options)
      return {
        async category(category) {
          const inner = await open.category(category)
          return {
            category: inner.category,
            get files() {
              return inner.files
            },
            apply: async file => inner.apply(await change(file)),
            removalsForgotten: () => inner.removalsForgotten(),
            forgetRemovals: before => inner.forgetRemovals(before),
          }
        },
        close: () => open.close(),
      }
    },
  }
}

/** Returns the file with other rows. */
export function withRows(file: TargetFile, rows: TargetFile['rows']): TargetFile {
  return Object.create(file, {
    rawBytes: { get: () => file.rawBytes },
    badRows: { get: () => file.badRows },
    keylessRows: { get: () => file.keylessRows },
    counts: { get: () => file.counts },
    signal: { get: () => file.signal },
    rows: { value: rows },
    accept: {
      value: (...[entry, applied]: Parameters<TargetFile['accept']>) => file.accept(entry, applied),
    },
    checkRemoval: { value: (...sizes: [number, number]) => file.checkRemoval(...sizes) },
  })
}

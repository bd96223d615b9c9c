// Verifies gzip bytes while a sink stores them, so that a damaged file never appears. The bytes
// that are stored are those of the service.

import { Gunzip, type Sink } from '../../index'

/**
 * Returns a sink that gives every block to `target` and inflates a copy, whose content it drops.
 * Its `prepare` fails with the codes of Gunzip where the bytes are no whole gzip file. No bytes at all
 * are a file without content.
 */
export function verifiedGzip(target: Sink<Uint8Array>): Sink<Uint8Array> {
  let check: ReturnType<typeof gzipCheck> | undefined
  return {
    name: target.name,
    ...(target.writes && { writes: target.writes }),
    open: () => target.open?.(),
    async write(bytes) {
      await target.write(bytes)
      check ??= gzipCheck()
      const { gunzip, verdict } = check
      // The caller may use `bytes` again at once.
      if (gunzip.write(Uint8Array.from(bytes))) return
      const drained = new Promise<void>(resolve => gunzip.once('drain', resolve))
      await Promise.race([drained, verdict])
    },
    async prepare() {
      check?.gunzip.end()
      await check?.verdict
      check = undefined
      await target.prepare?.()
    },
    commit: () => target.commit(),
    async abort(error) {
      check?.gunzip.destroy()
      check = undefined
      await target.abort(error)
    },
  }
}

function gzipCheck() {
  const gunzip = new Gunzip()
  gunzip.resume()
  const verdict = gunzip.promise()
  // A failure is reported by the next write or by the end.
  verdict.catch(() => {})
  return { gunzip, verdict }
}

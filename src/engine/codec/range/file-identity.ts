// The identity of a file: the total, Last-Modified and a strong ETag (service-notes.md, section 5).
// Two responses with the same identity carry bytes of the same file. The service sends no checksum
// and often no ETag. A value that a response leaves out is not compared.

/** The values that the responses so far have stated. */
export interface FileIdentity {
  /** The size of the file, where a response stated it. */
  readonly totalBytes?: number
  /** The header as it was sent. It is compared as text, not as a date. */
  readonly lastModified?: string
  /** A strong entity tag with its quotes. */
  readonly etag?: string
}

export interface IdentityChange {
  readonly what: 'total' | 'last-modified' | 'etag'
  readonly before: string
  readonly after: string
}

/**
 * Returns the identity that the headers of a response state. Weak and malformed entity tags are
 * left out, because they do not prove that bytes are equal.
 */
export function identityOf(
  totalBytes: number | undefined,
  lastModified: string | undefined,
  etag: string | undefined,
): FileIdentity {
  return {
    ...(totalBytes === undefined ? {} : { totalBytes }),
    ...(lastModified ? { lastModified } : {}),
    ...(etag !== undefined && /^"[^"]*"$/.test(etag) ? { etag } : {}),
  }
}

/** Returns the first value in which `seen` contradicts `pinned`. */
export function identityChange(
  pinned: FileIdentity,
  seen: FileIdentity,
): IdentityChange | undefined {
  return (
    changed('total', pinned.totalBytes, seen.totalBytes) ??
    changed('last-modified', pinned.lastModified, seen.lastModified) ??
    changed('etag', pinned.etag, seen.etag)
  )
}

/** Returns `pinned` completed by the values that only `seen` has. */
export function mergeIdentity(pinned: FileIdentity, seen: FileIdentity): FileIdentity {
  return { ...seen, ...pinned }
}

function changed(
  what: IdentityChange['what'],
  before?: string | number,
  after?: string | number,
): IdentityChange | undefined {
  if (before === undefined || after === undefined || before === after) return undefined
  return { what, before: String(before), after: String(after) }
}

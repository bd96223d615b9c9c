// What proves that two responses carry bytes of one file: total, Last-Modified and a strong ETag
// (service-notes.md, section 5). The service sends no checksum and often no ETag. A value that a
// response leaves out proves nothing and changes nothing.

/** Facts pinned by the responses so far. */
export interface FileIdentity {
  readonly totalBytes?: number
  /** The header as it was sent: compared as text, never as a date. */
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
 * The identity that a response's headers state. Weak and malformed entity tags are no validators.
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

/** The first fact in which `seen` contradicts `pinned`. */
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

/** `pinned` with what only `seen` knows; nothing pinned is ever overwritten. */
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

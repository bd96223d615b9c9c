// Distinguishes a feed file from an error page with a status of success: by its media type and by
// its first bytes.

/** The two magic bytes of gzip (RFC 1952, 2.3.1). */
export const GZIP_SIGNATURE: Uint8Array = Uint8Array.of(0x1f, 0x8b)

/** Media types that are no feed file: HTML, JSON, XML and multipart. */
const REFUSED = /^(?:text\/html|multipart\/.*|(?:application|text)\/(?:.*\+)?(?:json|xml|html))$/i

/**
 * True where a body of this Content-Type cannot be a feed file. Parameters such as the charset are
 * ignored.
 */
export function refusedContentType(contentType: string | undefined): boolean {
  const mediaType = contentType?.split(';', 1)[0]?.trim()
  return mediaType !== undefined && REFUSED.test(mediaType)
}

/**
 * True where `bytes`, at `offset` of the file, contradict the signature that the file must begin
 * with. Each part is checked alone, so the signature may arrive in several parts.
 */
export function contradictsSignature(
  offset: number,
  bytes: Uint8Array,
  signature: Uint8Array,
): boolean {
  const end = Math.min(signature.length, offset + bytes.length)
  for (let at = offset; at < end; at++) if (bytes[at - offset] !== signature[at]) return true
  return false
}

// Tells a feed file from an error page that was sent with a good status: by its media type, and by
// its first bytes.

/** The two magic bytes of gzip (RFC 1952, 2.3.1). */
export const GZIP_SIGNATURE: Uint8Array = Uint8Array.of(0x1f, 0x8b)

/**
 * HTML, JSON, XML, and multipart bodies, whose bytes are not the file's. TSV and octet streams are
 * what the service sends.
 */
const REFUSED = /^(?:text\/html|multipart\/.*|(?:application|text)\/(?:.*\+)?(?:json|xml|html))$/i

/**
 * True when a body of this Content-Type cannot be a feed file. Parameters such as the charset are
 * not looked at.
 */
export function refusedContentType(contentType: string | undefined): boolean {
  const mediaType = contentType?.split(';', 1)[0]?.trim()
  return mediaType !== undefined && REFUSED.test(mediaType)
}

/**
 * True when `bytes`, which stand at `offset` of the file, contradict the signature it must begin
 * with. Needs no memory, so the signature may arrive cut anywhere.
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

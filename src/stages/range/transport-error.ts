// What a connection may fail with, as a typed failure: whether another attempt may help, and the
// system's own code in the message.

import { excerpt, FeedError } from '../../errors'

/**
 * Codes of Node (tls, "X509 certificate error codes") for a certificate that is not accepted: it
 * will not be at the next attempt.
 */
const CERTIFICATE =
  /^(?:CERT_|CRL_|ERR_TLS_CERT_|UNABLE_TO_|ERROR_IN_C|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|INVALID_(?:CA|PURPOSE)$|PATH_LENGTH_EXCEEDED$|HOSTNAME_MISMATCH$)/

/** Errors behind an error that are looked at: a fetch wraps what the connection says. */
const MOST_CAUSES = 4

/**
 * A FeedError as it is; anything else as HTTP_TRANSPORT with the original as its cause. Not
 * retryable for a certificate.
 */
export function asTransportError(error: unknown, url: string, byteOffset?: number): FeedError {
  if (FeedError.is(error)) return error
  const { text, code } = reasonOf(error)
  const context = byteOffset === undefined ? { url } : { url, byteOffset }
  const shown = code === undefined || text.includes(code) ? text : `${text} (${code})`
  if (code === undefined || !CERTIFICATE.test(code)) {
    return new FeedError('HTTP_TRANSPORT', `the connection failed: ${shown}`, context, {
      cause: error,
    })
  }
  const message = `the server's certificate is not accepted: ${shown}; trust its authority by NODE_EXTRA_CA_CERTS, or by an agent with \`ca\``
  return new FeedError('HTTP_TRANSPORT', message, context, { cause: error, retryable: false })
}

/** The innermost error that has a code of the system, else the error itself. */
function reasonOf(error: unknown): { readonly text: string; readonly code: string | undefined } {
  let at = error
  for (let depth = 0; depth < MOST_CAUSES && at instanceof Error; depth++) {
    const { code } = at as { code?: unknown }
    if (typeof code === 'string' && code !== '')
      return { text: excerpt(at.message), code: excerpt(code, 60) }
    at = at.cause
  }
  return { text: excerpt(error instanceof Error ? error.message : String(error)), code: undefined }
}

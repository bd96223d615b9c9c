// Makes a typed error of a failed connection. It has the system's code in its message, and says
// whether a repeat may help.

import { excerpt, FeedError } from '../../errors'

/**
 * The codes of Node (tls, "X509 certificate error codes") for a certificate that is not accepted. A
 * repeat does not help.
 */
const CERTIFICATE =
  /^(?:CERT_|CRL_|ERR_TLS_CERT_|UNABLE_TO_|ERROR_IN_C|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|INVALID_(?:CA|PURPOSE)$|PATH_LENGTH_EXCEEDED$|HOSTNAME_MISMATCH$)/

/** The depth to which causes are searched: `fetch` wraps the error of the connection. */
const MOST_CAUSES = 4

/**
 * Returns a FeedError unchanged, and any other error as the cause of an HTTP_TRANSPORT, which is
 * not retryable for a refused certificate.
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
  const advice = 'trust its authority by NODE_EXTRA_CA_CERTS, or by an agent with `ca`'
  const message = `the server's certificate is not accepted: ${shown}; ${advice}`
  return new FeedError('HTTP_TRANSPORT', message, context, { cause: error, retryable: false })
}

/** Returns the first error in the chain of causes with a code of the system, or the error. */
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

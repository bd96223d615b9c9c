// The address and the header fields of a request: their checks, and the address in a form that may
// be shown.

import { excerpt, FeedError } from '../../errors'
import { is, optionInvalid } from '../../options'

/**
 * Returns `url` parsed. Throws OPTION_INVALID with the name `option` unless it is an http or https
 * URL without user info and without port 0. Credentials belong into a header.
 */
export function requestUrl(option: string, url: string | URL): URL {
  const parsed = URL.canParse(textOf(url)) ? new URL(url) : undefined
  if (
    parsed &&
    /^https?:$/.test(parsed.protocol) &&
    parsed.username === '' &&
    parsed.password === '' &&
    // Clients take it for no port, and so for the port of the protocol.
    parsed.port !== '0'
  )
    return parsed
  const expected = 'an http or https URL without user info and without port 0'
  throw optionInvalid(option, expected, printableUrl(url))
}

// Makes a URL fit for errors, reports and logs: without user info, fragment and values of
// parameters. Any of them may be a credential, whatever its name: each service that signs addresses
// has parameters of its own.

/** Returns the URL without secrets. A text that is no http or https URL is not shown at all. */
export function printableUrl(url: string | URL): string {
  if (!URL.canParse(textOf(url))) return '(not a URL)'
  const { protocol, origin, pathname, searchParams } = new URL(url)
  if (protocol !== 'http:' && protocol !== 'https:') return `${protocol}…`
  const parameters = Array.from(searchParams, parameterName)
  return `${origin}${pathname}${parameters.length === 0 ? '' : `?${parameters.join('&')}`}`
}

/** An object without a prototype has no text. */
function textOf(url: string | URL): string {
  return typeof url === 'string' || url instanceof URL ? String(url) : ''
}

/** A parameter without a value is a value without a name. */
function parameterName([name, value]: readonly [string, string]): string {
  return value === '' ? '…' : `${encodeURIComponent(name)}=…`
}

// The check of the header fields of a request (RFC 9110, 5.1 and 5.5). A CR or LF in a value would
// let the author of that value add a header or a request.

/** Header fields by name. HTTP ignores the case of names. */
export type RequestHeaders = Readonly<Record<string, string>>

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/**
 * Visible characters, space, tab and the upper half of Latin-1. CR, LF, NUL and other control
 * characters are excluded.
 */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * Returns `headers` where every field can be sent. Throws HTTP_HEADER_INVALID otherwise, with the
 * name of the field and without its value, which may be secret.
 */
export function sendableHeaders<H extends RequestHeaders>(headers: H): H {
  for (const [name, value] of Object.entries(is.anObject('headers', headers))) {
    if (NAME.test(name) && VALUE.test(value)) continue
    const header = excerpt(JSON.stringify(name).slice(1, -1))
    const message = `the header ${header} has characters that HTTP does not allow: remove them`
    throw new FeedError('HTTP_HEADER_INVALID', message, { header })
  }
  return headers
}

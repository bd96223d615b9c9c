// The check of a URL that a request is sent to.

import { optionInvalid } from '../../options'
import { printableUrl } from './printable-url'

/**
 * Returns `url` parsed. Throws OPTION_INVALID with the name `option` unless it is an http or https
 * URL without user info. Credentials belong into a header.
 */
export function requestUrl(url: string | URL, option = 'url'): URL {
  const parsed = URL.canParse(String(url)) ? new URL(url) : undefined
  if (
    parsed &&
    /^https?:$/.test(parsed.protocol) &&
    parsed.username === '' &&
    parsed.password === ''
  )
    return parsed
  throw optionInvalid(option, 'an http or https URL without user info', printableUrl(url))
}

// The rule for a URL that a request may be sent to.

import { optionInvalid } from '../../options'
import { printableUrl } from './printable-url'

/**
 * `url` parsed; `option` names it in errors. Throws OPTION_INVALID unless it is http or https
 * without user info, which belongs into a header.
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

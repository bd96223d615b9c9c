// Makes a URL fit for errors, reports and logs: without user info, fragment and values of
// parameters. Any of them may be a credential, whatever its name: each service that signs addresses
// has parameters of its own.

/** Returns the URL without secrets. A text that is no http or https URL is not shown at all. */
export function printableUrl(url: string | URL): string {
  if (!URL.canParse(String(url))) return '(not a URL)'
  const { protocol, origin, pathname, searchParams } = new URL(url)
  if (protocol !== 'http:' && protocol !== 'https:') return `${protocol}…`
  const parameters = Array.from(searchParams, parameterName)
  return `${origin}${pathname}${parameters.length === 0 ? '' : `?${parameters.join('&')}`}`
}

/** A parameter without a value is a value without a name. */
function parameterName([name, value]: readonly [string, string]): string {
  return value === '' ? '…' : `${encodeURIComponent(name)}=…`
}

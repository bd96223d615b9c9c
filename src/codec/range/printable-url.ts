// A URL as it may stand in an error or a log line: without user info, and with the values of
// secret-looking parameters covered.

const SECRET_PARAMETER = /token|secret|password|signature|credential|api[-_]?key/i

/** The URL's text without what must not be shown. What is no URL is not shown at all. */
export function printableUrl(url: string | URL): string {
  if (!URL.canParse(String(url))) return '(not a URL)'
  const shown = new URL(url)
  shown.username = ''
  shown.password = ''
  for (const name of new Set(shown.searchParams.keys())) {
    if (SECRET_PARAMETER.test(name)) shown.searchParams.set(name, 'redacted')
  }
  return shown.href
}

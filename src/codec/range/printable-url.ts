// Makes a URL fit for errors and logs: without user info, and without the values of parameters
// whose names suggest a secret.

const SECRET_PARAMETER = /token|secret|password|signature|credential|api[-_]?key/i

/** Returns the URL without secrets. A text that is no URL is not shown at all. */
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

// What no line on standard error shows: the passwords, tokens and keys of the environment, of files
// of credentials, and of the addresses among the arguments. Results on standard output are data.

/** The secrets of a run of the command, as they are and encoded. */
const forms = new Set<string>()

const SECRET_NAME = /(?:secret|token|password|secret_access_key)$/i
const PROXY_VARIABLE = /^(?:https?|all)_proxy$/i
/** A shorter one would spoil every line. */
const LEAST_CHARS = 6

/** Remembers the secrets of the environment and of the arguments, and forgets all earlier ones. */
export function rememberSecrets(argv: readonly string[], env: NodeJS.ProcessEnv): void {
  forms.clear()
  rememberValues(env)
  const proxies = Object.entries(env).filter(([name]) => PROXY_VARIABLE.test(name))
  for (const word of [...argv, ...proxies.map(([, address = '']) => address)])
    for (const address of word.match(/[a-z][a-z\d+.-]*:\/\/\S+/gi) ?? [])
      if (URL.canParse(address)) rememberAddress(new URL(address))
}

/** Remembers the values whose names are those of secrets. */
export function rememberValues(named: object): void {
  for (const [name, value] of Object.entries(named))
    if (SECRET_NAME.test(name) && typeof value === 'string') remember(value)
}

/** Returns the text without the secrets. */
export function covered(text: string): string {
  return [...forms].reduce((shown, form) => shown.replaceAll(form, 'redacted'), text)
}

function rememberAddress({ password, search, searchParams }: URL): void {
  const written = search.slice(1).split('&')
  remember(password)
  // A parameter without a value is a value without a name.
  for (const [name, value] of searchParams) remember(value === '' ? name : value)
  for (const parameter of written) remember(parameter.replace(/^[^=]*=(?=.)/, ''))
}

function remember(secret: string): void {
  if (secret.length < LEAST_CHARS) return
  forms.add(secret)
  forms.add(encodeURIComponent(secret.toWellFormed()))
  forms.add(Buffer.from(secret).toString('base64'))
}

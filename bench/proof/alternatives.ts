// The columns of the table: each alternative with its command, the tools that it needs, and why it is
// WRONG where it is, checked by hand.

/** Prints a version; it fails where the tool is not installed. */
export type VersionCommand = readonly [program: string, ...words: string[]]

export interface Alternative {
  readonly title: string
  readonly command: readonly [program: string, ...words: string[]]
  /** Names of {@link TOOLS}. */
  readonly needs: readonly (keyof typeof TOOLS)[]
  /** A sentence for each fault, by its name. */
  readonly wrong?: Readonly<Record<string, string>>
}

const node = process.execPath
const python = (module: string): VersionCommand => [
  'python3',
  '-c',
  `import ${module}; print(${module}.__version__)`,
]
const installed = (name: string): VersionCommand => [
  node,
  '-p',
  `JSON.parse(fs.readFileSync('node_modules/${name}/package.json', 'utf8')).version`,
]

export const TOOLS = {
  Node: [node, '--version'],
  curl: ['curl', '--version'],
  aria2: ['aria2c', '--version'],
  Wget: ['wget', '--version'],
  Python: ['python3', '--version'],
  Requests: python('requests'),
  urllib3: python('urllib3'),
  Polars: python('polars'),
  DuckDB: installed('@duckdb/node-api'),
  undici: installed('undici'),
  'csv-parse': installed('csv-parse'),
} satisfies Record<string, VersionCommand>

const DUCKDB_WRONG = {
  short:
    'the body ended early without a length, inside the last column of a row, and DuckDB read the cut gzip file as a whole one, because it does not ask for its trailer: 28 of 500 items were lost.',
}

const FEEDMILL = `
  set -e
  feedmill() { "${node}" dist/cli.js "$@"; }
  feedmill sync --marketplace "$FEEDMILL_MARKETPLACE" --category "$FEEDMILL_CATEGORIES" \\
    --state "$FEEDMILL_FOLDER/state" --now "$FEEDMILL_NOW"
  feedmill export --state "$FEEDMILL_FOLDER/state" --out "$FEEDMILL_OUTPUT"`

type Tool = keyof typeof TOOLS
const withDuckdb = (title: string, tool: string, ...needs: Tool[]): Alternative => ({
  title: `${title}, DuckDB`,
  command: ['sh', 'bench/proof/download.sh', tool],
  needs: [...needs, 'curl', 'DuckDB'],
  wrong: DUCKDB_WRONG,
})
const withPython = (title: string, how: string, ...needs: Tool[]): Alternative => ({
  title,
  command: ['python3', 'bench/proof/ingest.py', ...how.split(' ')],
  needs: ['Python', ...needs],
})

export const ALTERNATIVES: readonly Alternative[] = [
  { title: 'feedmill', command: ['sh', '-c', FEEDMILL], needs: ['Node'] },
  withDuckdb('curl --retry', 'curl_retry'),
  withDuckdb('curl -C -', 'curl_resume'),
  withDuckdb('aria2c', 'aria2', 'aria2'),
  withDuckdb('wget -c', 'wget_continue', 'Wget'),
  withPython('Python urllib, gzip, csv', 'urllib csv'),
  withPython('Requests with Retry, Polars', 'requests polars', 'Requests', 'urllib3', 'Polars'),
  {
    title: 'undici RetryAgent, csv-parse',
    command: [node, 'bench/proof/retry-agent.mjs'],
    needs: ['Node', 'undici', 'csv-parse'],
  },
]

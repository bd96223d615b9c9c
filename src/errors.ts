// The one error class of feedmill, its stable codes and what each code's context holds.
// It is one piece because the codes are one table: a caller switches on `error.code`,
// and TypeScript then knows the fields of `error.context`.
// Context holds positions and short cut pieces of text, never a whole row, never a token.

/** Where in a TSV file a problem stands. Rows and lines count from 1, bytes from 0. */
export interface RowPosition {
  /** Data row, counted from 1 after the header line. 0 is the header itself. */
  readonly row: number
  /** Physical line, counted from 1, line ends inside quotes included. */
  readonly line: number
  /** Offset of the row's first byte in the uncompressed file. */
  readonly byteOffset: number
  /** A cut piece of the text at fault, at most 80 characters. */
  readonly excerpt?: string
}

/** A problem with one cell. */
export interface CellPosition extends RowPosition {
  readonly column: string
}

/** What the service says of a failure (feed-file-catalog.md, section 3.10). Texts are cut. */
export interface ServiceDescription {
  /** The service's own code. */
  readonly errorId?: number
  /** REQUEST, BUSINESS or APPLICATION. */
  readonly category?: string
  readonly domain?: string
  /** The subsystem that it comes from. */
  readonly subdomain?: string
  readonly message?: string
  readonly longMessage?: string
  /** The parts of the request that are at fault, such as the name of a parameter; at most 20. */
  readonly inputRefIds?: readonly string[]
  /** The parts of the response that it is about; at most 20. */
  readonly outputRefIds?: readonly string[]
  readonly parameters?: readonly { readonly name: string; readonly value?: string }[]
}

/** What a refusal says of the token that it was sent (RFC 6750, section 3). */
export interface AuthChallenge {
  /** `invalid_token`, `insufficient_scope` or `invalid_request`, as a rule. */
  readonly error?: string
  readonly description?: string
}

/** What each code's context holds. The comment on each line says when the code is thrown. */
export interface ErrorContexts {
  // The caller's own mistakes: thrown where the call is made, before any I/O.
  /** An option is out of its range or of the wrong kind. */
  OPTION_INVALID: { option: string; expected: string; received: string }
  /** A column name that neither the schema nor the file has. */
  COLUMN_UNKNOWN: { column: string; known: readonly string[] }
  /** A package that this feature needs is not installed. */
  DEPENDENCY_MISSING: { package: string; neededFor: string }
  /** A package is installed in a version that this feature cannot work with. */
  DEPENDENCY_UNSUPPORTED: { package: string; expected: string }
  /**
   * The emulator cannot listen there; `reason` is the system's code, EADDRINUSE where another
   * program has the port.
   */
  LISTEN_FAILED: { host: string; port: number; reason: string }

  // Stages and pipelines.
  /** `write` after `end`. */
  STAGE_WRITE_AFTER_END: { stage: string }
  /** A stage instance, or a pipeline made of instances, was run a second time. */
  STAGE_REUSED: { stage: string }
  /**
   * Code inside a stage, a callback or a sink threw something that is not a FeedError; see `cause`.
   */
  STAGE_FAILED: { stage: string }
  /** An input that the stage does not take, such as text where it takes blocks of bytes. */
  STAGE_INPUT_INVALID: { stage: string; expected: string; received: string }
  /** The stage was destroyed while somebody still read from it. */
  STAGE_DESTROYED: { stage: string }
  /** The result of a stage was asked for before it was read to its end. */
  STAGE_NOT_ENDED: { stage: string }
  /** The caller's AbortSignal fired; its reason is `cause`. */
  ABORTED: { stage: string }

  // HTTP.
  /**
   * The service refused or failed, and what it says of that: in the body, and, as `challenge`, of
   * the token in the header WWW-Authenticate. `operation` where a client of the service asked.
   */
  HTTP_STATUS: {
    url: string
    status: number
    byteOffset?: number
    operation?: string
    challenge?: AuthChallenge
  } & ServiceDescription
  /** The connection failed: reset, refused, name not found, a protocol violation. */
  HTTP_TRANSPORT: { url: string; byteOffset?: number }
  /** Nothing arrived within a time limit. */
  HTTP_TIMEOUT: {
    url: string
    phase: 'queue' | 'token' | 'headers' | 'body'
    limitMs: number
    byteOffset?: number
  }
  /** A redirect or link leaves the origin of the request; nothing was sent there. */
  HTTP_ORIGIN_REFUSED: { from: string; to: string }
  /** More redirects, or `next` links in a row, than allowed, or a link that leads back. */
  HTTP_REDIRECT_LOOP: { url: string; hops: number }
  /** A header name or value that cannot be sent (CR, LF, NUL). */
  HTTP_HEADER_INVALID: { header: string }
  /** A path identifier that is empty, a dot segment, absolute or has a separator in it. */
  HTTP_IDENTIFIER_INVALID: { parameter: string; excerpt: string }
  /** The body is not a feed file (HTML, JSON, or bytes without the expected signature). */
  HTTP_CONTENT_TYPE: { url: string; contentType: string; excerpt?: string; byteOffset: number }
  /** A content coding that the transport would silently undo. */
  HTTP_CONTENT_ENCODING: { url: string; contentEncoding: string }
  /** Content-Length is repeated, conflicting or not a number. */
  HTTP_CONTENT_LENGTH: { url: string; received: string }

  // The service's clients.
  /** A parameter of a request that the service would not allow; nothing was sent. */
  REQUEST_INVALID: { operation: string; parameter: string; expected: string; received: string }
  /** A good status with a body or header that is not the documented one. `path` names the field. */
  RESPONSE_INVALID: { operation: string; url: string; path: string; reason: string }
  /**
   * No access token: the token endpoint refused (`error` is its code, RFC 6749, 5.2), or what was
   * given is no token.
   */
  TOKEN_REFUSED: { url?: string; status?: number; error?: string; reason: string }

  // Ranges.
  /** A 206 without Content-range, or with more than one. */
  RANGE_HEADER_MISSING: { url: string; byteOffset: number; received: string }
  /** A Content-range that cannot be read, or whose numbers pass 2^53. */
  RANGE_HEADER_INVALID: { url: string; byteOffset: number; received: string }
  /** The answered range starts elsewhere than the asked one. */
  RANGE_START_MISMATCH: { url: string; byteOffset: number; received: number }
  /** Total, Last-Modified or ETag changed between chunks: another file is being sent. */
  RANGE_FILE_REPLACED: {
    url: string
    byteOffset: number
    what: 'total' | 'last-modified' | 'etag'
    before: string
    after: string
  }
  /** A body ran past its range, twice. */
  RANGE_BODY_TOO_LONG: { url: string; byteOffset: number; expectedBytes: number }
  /** 416 (or the service's 13017) that does not say a total. */
  RANGE_UNSATISFIABLE: { url: string; byteOffset: number; status: number } & ServiceDescription
  /** No progress for as long as `patienceMs` allows; the last failure is `cause`. */
  RANGE_RETRIES_EXHAUSTED: { url: string; byteOffset: number; attempts: number }

  // Chunks.
  /** The input ended and bytes before the end are missing. */
  CHUNK_GAP: { byteOffset: number; missingBytes: number }
  /** Two pieces cover the same byte. */
  CHUNK_OVERLAP: { byteOffset: number; overlapBytes: number }
  /** A piece lies further ahead than the window allows. */
  CHUNK_WINDOW_EXCEEDED: { byteOffset: number; nextOffset: number; windowBytes: number }
  /** The input ended before or after the announced total. */
  CHUNK_TOTAL_MISMATCH: { byteOffset: number; totalBytes: number }

  // Gzip. `byteOffset` counts compressed bytes from the start of the file.
  /** No input at all. */
  GZIP_EMPTY: { byteOffset: number }
  /** Not gzip, an unknown method, or reserved flags. */
  GZIP_HEADER_INVALID: { byteOffset: number; reason: string }
  /** The input ended inside a member. */
  GZIP_TRUNCATED: { byteOffset: number; part: 'header' | 'data' | 'trailer' }
  /** The deflate data is damaged. */
  GZIP_DATA_INVALID: { byteOffset: number; reason: string }
  /** CRC32 of the output differs from the trailer: rows already handed out are not confirmed. */
  GZIP_CRC_MISMATCH: { byteOffset: number; expected: number; actual: number }
  /** The output's size differs from the trailer: rows already handed out are not confirmed. */
  GZIP_SIZE_MISMATCH: { byteOffset: number; expected: number; actual: number }
  /** Bytes after the last member that are neither zeros nor a member. */
  GZIP_TRAILING_GARBAGE: { byteOffset: number }
  /** The content is gzip again: the file was compressed twice. */
  GZIP_NESTED: { byteOffset: number }
  /** A cap against bombs was reached. */
  GZIP_LIMIT: {
    byteOffset: number
    option: 'maxOutputBytes' | 'maxRatio' | 'maxMembers'
    limit: number
  }

  // TSV.
  /** No header line. */
  TSV_EMPTY: { byteOffset: number }
  /** The header line cannot be read. */
  TSV_HEADER_INVALID: RowPosition & { reason: string }
  /** A column that the schema requires is not in the header. */
  TSV_COLUMN_MISSING: RowPosition & { column: string }
  /** A column that the schema requires stands twice in the header. */
  TSV_COLUMN_REPEATED: RowPosition & { column: string }
  /** Fewer cells than columns. */
  TSV_ROW_SHORT: RowPosition & { cells: number; columns: number }
  /** More cells than columns. */
  TSV_ROW_LONG: RowPosition & { cells: number; columns: number }
  /** An empty line. */
  TSV_ROW_BLANK: RowPosition
  /** A quoted cell that never ends. */
  TSV_QUOTE_UNCLOSED: RowPosition
  /** Text between a closing quote and the end of its cell. */
  TSV_QUOTE_TRAILING_TEXT: RowPosition
  /** A row past `maxRowBytes`. */
  TSV_ROW_TOO_LARGE: RowPosition & { limitBytes: number }
  /** Bytes that are not UTF-8, with `invalidUtf8: 'bad-row'`. */
  TSV_UTF8_INVALID: RowPosition
  /** A bad row when as many as `maxBadRows` allows were left out already. */
  TSV_BAD_ROWS_LIMIT: RowPosition & { limit: number }

  // Cells.
  /** A cell that its column's type cannot be read from. */
  CELL_INVALID: Partial<CellPosition> & { type: string; reason: string }

  // Join, merge, state.
  /** A row without the key that a join or merge needs. */
  KEY_MISSING: Partial<RowPosition> & { column: string }
  /** A row whose key has more bytes than a key may have. */
  KEY_TOO_LONG: Partial<RowPosition> & { column: string; bytes: number; limitBytes: number }
  /** A row that no version can be given: no date of its own and no date on its file. */
  VERSION_MISSING: Partial<RowPosition> & { key: string }
  /** A state cap was reached. */
  STATE_LIMIT: { option: string; limit: number }
  /**
   * Stored bytes are not what was written: nothing of them is used. `path` is the file, or the
   * folder where it cannot be said.
   */
  STATE_CORRUPT: { path: string; reason: string }
  /**
   * Reading or writing the state failed (no space, an I/O error); `reason` is the system's code
   * where it gave one.
   */
  STATE_IO: { path: string; operation: string; reason: string }
  /**
   * Another process works in the state folder: which, on what host, since when, and the file that
   * says so.
   */
  STATE_LOCKED: { path: string; pid?: number; host?: string; since?: string; file?: string }
  /**
   * The folder is not a state of this program, of a newer one, or of another service or
   * marketplace.
   */
  STATE_FOREIGN: { path: string; what: string; expected: string; received: string }
  /**
   * A file could not be fetched and verified for as long as `patienceMs` allows; the last failure
   * is `cause`.
   */
  SYNC_FILE_FAILED: { file: string; attempts: number }
  /**
   * A bootstrap without most of the rows that the state has, not proven to be empty by the service.
   * Nothing of it was applied. Above 65,536 rows in the file, `rowsRemoved` is an estimate from a
   * sample.
   */
  SYNC_REMOVAL_REFUSED: {
    category: string
    file: string
    rowsBefore: number
    rowsRemoved: number
    maxRemovedShare: number
  }
  /** The files that are kept do not make up the state of that time. */
  STATE_HISTORY_MISSING: { category: string; asOf: string; reason: string }

  // Sinks.
  /**
   * Writing the output failed; `reason` is the system's code (ENOSPC, EACCES, EPIPE) where it gave
   * one, see `cause`.
   */
  SINK_FAILED: { sink: string; target: string; reason: string }
  /**
   * A value that the sink's format has no form for. `row` counts from 1, among all that the sink
   * was given.
   */
  SINK_VALUE_INVALID: { sink: string; row: number; reason: string }
}

export type ErrorCode = keyof ErrorContexts

/**
 * The family of each code: what failed. Programs decide by the family where they treat several
 * codes alike. The type makes a code without a family a compile error.
 */
const FAMILIES = {
  OPTION_INVALID: 'usage',
  COLUMN_UNKNOWN: 'usage',
  DEPENDENCY_MISSING: 'usage',
  DEPENDENCY_UNSUPPORTED: 'usage',
  LISTEN_FAILED: 'usage',
  STAGE_WRITE_AFTER_END: 'stage',
  STAGE_REUSED: 'stage',
  STAGE_FAILED: 'stage',
  STAGE_INPUT_INVALID: 'stage',
  STAGE_DESTROYED: 'stage',
  STAGE_NOT_ENDED: 'stage',
  ABORTED: 'stage',
  HTTP_STATUS: 'http',
  HTTP_TRANSPORT: 'http',
  HTTP_TIMEOUT: 'http',
  HTTP_ORIGIN_REFUSED: 'http',
  HTTP_REDIRECT_LOOP: 'http',
  HTTP_HEADER_INVALID: 'http',
  HTTP_IDENTIFIER_INVALID: 'http',
  HTTP_CONTENT_TYPE: 'http',
  HTTP_CONTENT_ENCODING: 'http',
  HTTP_CONTENT_LENGTH: 'http',
  REQUEST_INVALID: 'operation',
  RESPONSE_INVALID: 'operation',
  TOKEN_REFUSED: 'token',
  RANGE_HEADER_MISSING: 'range',
  RANGE_HEADER_INVALID: 'range',
  RANGE_START_MISMATCH: 'range',
  RANGE_FILE_REPLACED: 'range',
  RANGE_BODY_TOO_LONG: 'range',
  RANGE_UNSATISFIABLE: 'range',
  RANGE_RETRIES_EXHAUSTED: 'range',
  CHUNK_GAP: 'chunk',
  CHUNK_OVERLAP: 'chunk',
  CHUNK_WINDOW_EXCEEDED: 'chunk',
  CHUNK_TOTAL_MISMATCH: 'chunk',
  GZIP_EMPTY: 'gzip',
  GZIP_HEADER_INVALID: 'gzip',
  GZIP_TRUNCATED: 'gzip',
  GZIP_DATA_INVALID: 'gzip',
  GZIP_CRC_MISMATCH: 'gzip',
  GZIP_SIZE_MISMATCH: 'gzip',
  GZIP_TRAILING_GARBAGE: 'gzip',
  GZIP_NESTED: 'gzip',
  GZIP_LIMIT: 'gzip',
  TSV_EMPTY: 'tsv',
  TSV_HEADER_INVALID: 'tsv',
  TSV_COLUMN_MISSING: 'tsv',
  TSV_COLUMN_REPEATED: 'tsv',
  TSV_ROW_SHORT: 'tsv',
  TSV_ROW_LONG: 'tsv',
  TSV_ROW_BLANK: 'tsv',
  TSV_QUOTE_UNCLOSED: 'tsv',
  TSV_QUOTE_TRAILING_TEXT: 'tsv',
  TSV_ROW_TOO_LARGE: 'tsv',
  TSV_UTF8_INVALID: 'tsv',
  TSV_BAD_ROWS_LIMIT: 'tsv',
  CELL_INVALID: 'row',
  KEY_MISSING: 'row',
  KEY_TOO_LONG: 'row',
  VERSION_MISSING: 'row',
  STATE_LIMIT: 'state',
  STATE_CORRUPT: 'state',
  STATE_IO: 'state',
  STATE_LOCKED: 'state',
  STATE_FOREIGN: 'state',
  STATE_HISTORY_MISSING: 'state',
  SYNC_FILE_FAILED: 'sync',
  SYNC_REMOVAL_REFUSED: 'sync',
  SINK_FAILED: 'sink',
  SINK_VALUE_INVALID: 'sink',
} as const satisfies Readonly<Record<ErrorCode, string>>

export type ErrorFamily = (typeof FAMILIES)[ErrorCode]

/** Returns the family of a code; undefined for a code of a newer copy of the package. */
export function familyOf(code: ErrorCode): ErrorFamily | undefined {
  return FAMILIES[code]
}

/**
 * Codes where the same request may succeed later. A single error can override its code's default.
 */
const RETRYABLE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'HTTP_TRANSPORT',
  'HTTP_TIMEOUT',
  'RANGE_FILE_REPLACED',
  'RANGE_RETRIES_EXHAUSTED',
  'GZIP_TRUNCATED',
  'GZIP_CRC_MISMATCH',
  'GZIP_SIZE_MISMATCH',
  'SYNC_REMOVAL_REFUSED',
])

export interface FeedErrorOptions {
  readonly cause?: unknown
  readonly retryable?: boolean
}

/** The union over all codes, so that `if (e.code === …)` narrows `e.context`. */
export type AnyFeedError = { [C in ErrorCode]: FeedError<C> }[ErrorCode]

export class FeedError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'FeedError'
  readonly code: C
  readonly context: Readonly<ErrorContexts[C]>
  /** True when doing the same thing again, later, may succeed. */
  readonly retryable: boolean

  constructor(code: C, message: string, context: ErrorContexts[C], options: FeedErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.context = Object.freeze({ ...context }) as Readonly<ErrorContexts[C]>
    this.retryable = options.retryable ?? RETRYABLE.has(code)
  }

  /** Recognises a FeedError by shape: two copies of the package may meet in one process. */
  static is(value: unknown): value is AnyFeedError {
    return (
      value instanceof Error &&
      value.name === 'FeedError' &&
      typeof (value as { code?: unknown }).code === 'string' &&
      'context' in value
    )
  }
}

/** Any thrown value as a FeedError; what already is one passes through unchanged. */
export function asFeedError(value: unknown, stage: string): AnyFeedError {
  if (FeedError.is(value)) return value
  const text = value instanceof Error ? value.message : String(value)
  return new FeedError('STAGE_FAILED', `${stage}: ${text}`, { stage }, { cause: value })
}

/** A piece of text short enough for an error's context. */
export function excerpt(text: string, limit = 80): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`
}

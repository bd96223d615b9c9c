// The one error class of feedmill, its stable codes, and the fields of each code's context. The
// file is one piece because the codes are one table: a caller switches on `error.code`, and
// TypeScript then knows the fields of `error.context`. A context holds positions and excerpts of
// text, never a whole row or a token.

/** The position of a problem in a TSV file. Rows and lines count from 1, bytes from 0. */
export interface RowPosition {
  /** Data row, counted from 1 after the header line. 0 is the header itself. */
  readonly row: number
  /** Physical line, counted from 1. A line end inside quotes starts a new line too. */
  readonly line: number
  /** Offset of the row's first byte in the uncompressed file. */
  readonly byteOffset: number
  /** An excerpt of the text at fault, at most 80 characters. */
  readonly excerpt?: string
  /** The path or the address of the file, where FileSource or RangeFetcher begins the pipeline. */
  readonly file?: string
}

/** The position of a problem with one cell. */
export interface CellPosition extends RowPosition {
  readonly column: string
}

/**
 * The service's description of a failure (feed-file-catalog.md, section 3.10). Long texts are cut.
 */
export interface ServiceDescription {
  /** The service's own code. */
  readonly errorId?: number
  /** REQUEST, BUSINESS or APPLICATION. */
  readonly category?: string
  /** The part of the service that reports the failure, such as API_FEED. */
  readonly domain?: string
  /** The subsystem that the failure comes from. */
  readonly subdomain?: string
  /** The text of the service for the failure. */
  readonly message?: string
  /** The text of the service in more detail. */
  readonly longMessage?: string
  /** The parts of the request at fault, such as the name of a parameter; at most 20. */
  readonly inputRefIds?: readonly string[]
  /** The parts of the response that the failure is about; at most 20. */
  readonly outputRefIds?: readonly string[]
  /** The values that the texts refer to; at most 20. */
  readonly parameters?: readonly { readonly name: string; readonly value?: string }[]
}

/** What a refusal says about the token of the request (RFC 6750, section 3). */
export interface AuthChallenge {
  /** Usually `invalid_token`, `insufficient_scope` or `invalid_request`. */
  readonly error?: string
  /** The words of the server for the refusal. */
  readonly description?: string
}

/**
 * The fields of each code's context. The comment on each code says when it is thrown. Fields of one
 * name mean the same for all codes: `byteOffset` is the position in the file as the stage reads it,
 * compressed where it is compressed. `url` is an address without secrets, `stage`, `option` and
 * `operation` are names of this package, `reason` says in words what is wrong, and `expected` and
 * `received` are shortened texts or numbers.
 */
export interface ErrorContexts {
  // Mistakes of the caller. They are thrown where the call is made, before any I/O.
  /**
   * An option is out of its range, of the wrong type, or unknown.
   * @remedy Correct the option that `option` names: `expected` says what it takes.
   */
  OPTION_INVALID: { option: string; expected: string; received: string }
  /**
   * Neither the schema nor the file has a column of this name.
   * @remedy Use a name from `known`, or add the column to the schema.
   */
  COLUMN_UNKNOWN: { column: string; known: readonly string[] }
  /**
   * A package that this feature needs is not installed.
   * @remedy Install the package that `package` names.
   */
  DEPENDENCY_MISSING: { package: string; neededFor: string }
  /**
   * A package is installed in a version that this feature cannot work with.
   * @remedy Install a version of the package that `expected` describes.
   */
  DEPENDENCY_UNSUPPORTED: { package: string; expected: string }
  /**
   * The emulator cannot listen on the address. `reason` is the code of the operating system:
   * EADDRINUSE where another program uses the port.
   * @remedy Choose another port or host, or 0 for any free port.
   */
  LISTEN_FAILED: { host: string; port: number; reason: string }

  // Stages and pipelines.
  /**
   * `write`, or `push` of an engine, was called after `end`.
   * @remedy Write everything before you call `end`.
   */
  STAGE_WRITE_AFTER_END: { stage: string }
  /**
   * A stage instance, or a pipeline made of instances, was run a second time.
   * @remedy Give `to` a function that makes the stage, such as `() => new Gunzip()`, or make a new
   * instance for each run.
   */
  STAGE_REUSED: { stage: string }
  /**
   * A stage, a callback or a sink threw a value that is not a FeedError; `cause` has it. `validate`
   * adds the position of the row.
   * @remedy Read `cause`, which is the error of your callback, sink or stream, and correct that
   * code.
   */
  STAGE_FAILED: Partial<RowPosition> & { stage: string }
  /**
   * The stage does not accept this input, such as text where it expects blocks of bytes.
   * @remedy Put a stage in front that makes what `expected` says, such as TsvRowParser where rows
   * are expected.
   */
  STAGE_INPUT_INVALID: { stage: string; expected: string; received: string }
  /**
   * The stage was destroyed, or the engine closed, before its reader reached the end.
   * @remedy Find out what destroyed the stage or left the loop early; a stopped run has to be
   * started again.
   */
  STAGE_DESTROYED: { stage: string }
  /**
   * The result of a stage was requested before the stage was read to its end, or an engine got an
   * input before the outputs of the one before were used up.
   * @remedy Read the stage to its end before you ask for its result, and the outputs of each `push`
   * before the next one.
   */
  STAGE_NOT_ENDED: { stage: string }
  /**
   * The caller's AbortSignal fired; its reason is `cause`. The message names a sink that has not
   * returned from a call. `mayBeCommitted` is set where that call was its commit.
   * @remedy Nothing is wrong where you aborted the signal; otherwise its reason is in `cause`. Look
   * before you write the rows again where `mayBeCommitted` is set.
   */
  ABORTED: { stage: string; mayBeCommitted?: true }

  // HTTP.
  /**
   * The service answered with a status that is no success. The context has what the body says, and
   * as `challenge` what the header WWW-Authenticate says about the token. `operation` is set for
   * requests of the service's clients.
   * @remedy Read `status` and `message`: correct the address, the token or the parameters for 4xx,
   * and try again later where `retryable` is true.
   */
  HTTP_STATUS: {
    url: string
    status: number
    byteOffset?: number
    operation?: string
    challenge?: AuthChallenge
  } & ServiceDescription
  /**
   * The connection failed: a reset, a refusal, an unknown name, or a violation of HTTP.
   * @remedy Check the name and port of the address, the proxy and the network, then try again;
   * `cause` has the code of the system.
   */
  HTTP_TRANSPORT: { url: string; byteOffset?: number }
  /**
   * A wait of the request exceeded its time limit; `phase` names the wait.
   * @remedy Try again later, or raise the limit of the wait that `phase` names.
   */
  HTTP_TIMEOUT: {
    url: string
    phase: 'queue' | 'token' | 'headers' | 'body'
    limitMs: number
    byteOffset?: number
  }
  /**
   * A redirect or link leads to another origin. Nothing was sent to that origin.
   * @remedy Check the base address of the profile; no token is sent to another origin.
   */
  HTTP_ORIGIN_REFUSED: { from: string; to: string }
  /**
   * Redirects or `next` links lead back, or are more than the limit.
   * @remedy Check the base address and the proxy: the server redirects in a circle.
   */
  HTTP_REDIRECT_LOOP: { url: string; hops: number }
  /**
   * The name or value of a header has a character that HTTP forbids (CR, LF, NUL).
   * @remedy Remove line ends and NUL from the header, often a line end at the end of a token.
   */
  HTTP_HEADER_INVALID: { header: string }
  /**
   * An identifier for a path is empty, a dot segment or absolute, or contains a separator.
   * @remedy Pass the identifier alone, without slashes and without a path.
   */
  HTTP_IDENTIFIER_INVALID: { parameter: string; excerpt: string }
  /**
   * The body is not a feed file: HTML, JSON, Brotli, or bytes without the expected signature.
   * @remedy Check the address and the token, and look whether a proxy or sign-in page has answered:
   * `excerpt` has the beginning of its text. Where only the label is wrong, give RangeFetcher
   * `content: 'table'`.
   */
  HTTP_CONTENT_TYPE: { url: string; contentType: string; excerpt?: string; byteOffset: number }
  /**
   * The body has a content coding that the transport would decode, which changes its bytes.
   * @remedy Switch off compression in the proxy between you and the service.
   */
  HTTP_CONTENT_ENCODING: { url: string; contentEncoding: string }
  /**
   * The header Content-Length is repeated, contradicts another, or is not a number; or there is none
   * and the body has no chunks either, so that nothing tells whether it is whole.
   * @remedy Look for a proxy that changes bodies or sends only a part of them, and try again
   * without it. Where the server itself states no length, name the size and the SHA-256 of the file
   * by `expected`, or accept such bodies by `acceptUnknownEnd`.
   */
  HTTP_CONTENT_LENGTH: { url: string; received: string }

  // The service's clients.
  /**
   * The service does not allow this value of a parameter. Nothing was sent.
   * @remedy Correct the parameter: `expected` says what the service takes.
   */
  REQUEST_INVALID: { operation: string; parameter: string; expected: string; received: string }
  /**
   * The status is a success, but a body or header is not the documented one. `path` names the
   * field.
   * @remedy Check that the base address is that of the service; if it is, report `path` and
   * `reason`, because the service has changed.
   */
  RESPONSE_INVALID: { operation: string; url: string; path: string; reason: string }
  /**
   * There is no access token: the token endpoint refused it (`error` is its code, RFC 6749, 5.2),
   * or the token source gave a value that is no token.
   * @remedy Check client id, client secret and scope; `error` is what the token endpoint says about
   * them.
   */
  TOKEN_REFUSED: { url?: string; status?: number; error?: string; reason: string }

  // Ranges.
  /**
   * A response with status 206 has no Content-range, or a response has more than one.
   * @remedy Check that the address and every proxy support byte ranges.
   */
  RANGE_HEADER_MISSING: { url: string; byteOffset: number; received: string }
  /**
   * A Content-range is malformed, its numbers exceed 2^53, or it states no bytes of the range.
   * @remedy Check every proxy between you and the service: it has changed the header.
   */
  RANGE_HEADER_INVALID: { url: string; byteOffset: number; received: string }
  /**
   * The range of the response starts at another byte than the requested one.
   * @remedy Check every proxy and cache between you and the service: it has answered with another
   * range.
   */
  RANGE_START_MISMATCH: { url: string; byteOffset: number; received: number }
  /**
   * The file was replaced, or nothing proves that it was not. `what` says what shows it: the total,
   * Last-Modified or ETag of responses, the checksum of bytes that came twice, the SHA-256 that was
   * named, or `proof` where a server states no validator that is strong enough. Also a file of a disk
   * that changed while it was read.
   * @remedy Start the download again, from the first byte. Where it fails again, name the size and
   * the SHA-256 of the file by `expected`.
   */
  RANGE_FILE_REPLACED: {
    url: string
    byteOffset: number
    what: 'total' | 'last-modified' | 'etag' | 'bytes' | 'sha256' | 'proof'
    before: string
    after: string
  }
  /**
   * The body had more bytes than its range, twice in a row.
   * @remedy Check every proxy between you and the service; if there is none, report the address,
   * because the service answers wrongly.
   */
  RANGE_BODY_TOO_LONG: { url: string; byteOffset: number; expectedBytes: number }
  /**
   * A response with status 416 (or the service's error 13017) does not state the total.
   * @remedy Start again without `resume`; the file may have become shorter.
   */
  RANGE_UNSATISFIABLE: { url: string; byteOffset: number; status: number } & ServiceDescription
  /**
   * No new bytes arrived for as long as `patienceMs` allows. `cause` is the last failure.
   * @remedy Read `cause`, then try again later, or raise `patienceMs`.
   */
  RANGE_RETRIES_EXHAUSTED: { url: string; byteOffset: number; attempts: number }

  // Chunks.
  /**
   * The input ended while bytes before its end are missing.
   * @remedy Pass all pieces of the file before the input ends.
   */
  CHUNK_GAP: { byteOffset: number; missingBytes: number }
  /**
   * Two pieces cover the same byte.
   * @remedy Pass each byte of the file once.
   */
  CHUNK_OVERLAP: { byteOffset: number; overlapBytes: number }
  /**
   * A piece ends further ahead of the next byte due than `windowBytes` allows.
   * @remedy Fetch nearer to the next byte due, or raise `windowBytes`.
   */
  CHUNK_WINDOW_EXCEEDED: { byteOffset: number; nextOffset: number; windowBytes: number }
  /**
   * The input ended before or after the announced total.
   * @remedy Fetch the file again; it is cut, or `totalBytes` belongs to another version of it.
   */
  CHUNK_TOTAL_MISMATCH: { byteOffset: number; totalBytes: number }

  // Gzip. `byteOffset` counts compressed bytes from the start of the file.
  /**
   * The input has no bytes.
   * @remedy Fetch the file again; a file without bytes is no gzip file.
   */
  GZIP_EMPTY: { byteOffset: number }
  /**
   * The bytes are not gzip, or the header has an unknown method or reserved flags.
   * @remedy Do what `reason` says. Leave out Gunzip if the file is not compressed; otherwise fetch
   * it again.
   */
  GZIP_HEADER_INVALID: { byteOffset: number; reason: string }
  /**
   * The input ended inside a member.
   * @remedy Fetch the file again: its end is missing.
   */
  GZIP_TRUNCATED: { byteOffset: number; part: 'header' | 'data' | 'trailer' }
  /**
   * The deflate data is invalid.
   * @remedy Fetch the file again, and drop every row of the damaged copy.
   */
  GZIP_DATA_INVALID: { byteOffset: number; reason: string }
  /**
   * The CRC32 of the output differs from the trailer. Rows handed out before are unverified.
   * @remedy Fetch the file again, and drop every row of the damaged copy.
   */
  GZIP_CRC_MISMATCH: { byteOffset: number; expected: number; actual: number }
  /**
   * The size of the output differs from the trailer. Rows handed out before are unverified.
   * @remedy Fetch the file again, and drop every row of the damaged copy.
   */
  GZIP_SIZE_MISMATCH: { byteOffset: number; expected: number; actual: number }
  /**
   * The bytes after the last member are neither zeros nor a member.
   * @remedy Fetch the file again; if the bytes belong to it, cut them off before the stage.
   */
  GZIP_TRAILING_GARBAGE: { byteOffset: number }
  /**
   * The content is gzip itself: the file was compressed twice.
   * @remedy Add a second Gunzip, or set `allowNested` where gzip data is the content that you want.
   */
  GZIP_NESTED: { byteOffset: number }
  /**
   * The output exceeds a limit that protects against decompression bombs.
   * @remedy Raise the limit that `option` names if you trust the file.
   */
  GZIP_LIMIT: {
    byteOffset: number
    option: 'maxOutputBytes' | 'maxRatio' | 'maxMembers'
    limit: number
  }

  // Zstandard and ZIP. `byteOffset` counts compressed bytes from the start of the file.
  /**
   * The data is damaged or cut off, has other bytes behind its end, or its parts contradict each
   * other. Rows handed out before are unverified.
   * @remedy Fetch the file again, and drop every row of the damaged copy. Where it fails again, have
   * the sender make the file anew.
   */
  UNPACK_INVALID: { format: 'zstd' | 'zip'; byteOffset: number; reason: string }
  /**
   * The file is well formed, but of a kind that is not read: an archive of several files or none,
   * encrypted, or made by another method or with a dictionary.
   * @remedy Do what `reason` says: unpack the file by a program, or ask for another form of it.
   */
  UNPACK_UNSUPPORTED: { format: 'zstd' | 'zip'; byteOffset: number; reason: string }
  /**
   * The file exceeds a limit that protects against decompression bombs.
   * @remedy Raise the limit that `option` names if you trust the file.
   */
  UNPACK_LIMIT: {
    format: 'zstd' | 'zip'
    byteOffset: number
    option: 'maxOutputBytes' | 'maxRatio' | 'maxMembers' | 'maxWindowBytes'
    limit: number
  }

  // TSV.
  /**
   * The file has no header line.
   * @remedy Fetch the file again, or give `dialect.header` where the file has no header line.
   */
  TSV_EMPTY: { byteOffset: number }
  /**
   * The header line is malformed or is not that of the feed, or the file is no table.
   * @remedy Do what `reason` says: it names the stage, program, encoding or dialect that the file
   * needs.
   */
  TSV_HEADER_INVALID: RowPosition & { reason: string }
  /**
   * The header lacks a column that the schema requires.
   * @remedy Use the schema of this feed, or make the column optional in a schema of your own.
   */
  TSV_COLUMN_MISSING: RowPosition & { column: string }
  /**
   * The header repeats a column that the schema requires.
   * @remedy Correct the file or its `aliases`: two headings stand for one column.
   */
  TSV_COLUMN_REPEATED: RowPosition & { column: string }
  /**
   * The row has fewer cells than there are columns.
   * @remedy Report the row to the sender; `dialect.shortRows` fills such rows up, and
   * `onBadRow: 'skip'` leaves them out.
   */
  TSV_ROW_SHORT: RowPosition & { cells: number; columns: number }
  /**
   * The row has more cells than there are columns.
   * @remedy Report the row to the sender; `onBadRow: 'skip'` leaves such rows out.
   */
  TSV_ROW_LONG: RowPosition & { cells: number; columns: number }
  /**
   * The row is an empty line.
   * @remedy Remove the empty line, or leave such lines out with `dialect.blankLines`.
   */
  TSV_ROW_BLANK: RowPosition
  /**
   * A quoted cell has no closing quote.
   * @remedy Check `dialect.quoting`; leave such rows out with `onBadRow: 'skip'`.
   */
  TSV_QUOTE_UNCLOSED: RowPosition
  /**
   * A cell has text after its closing quote.
   * @remedy Check `dialect.quoting`: a CSV file doubles its quotes. Otherwise leave such rows out
   * with `onBadRow: 'skip'`.
   */
  TSV_QUOTE_TRAILING_TEXT: RowPosition
  /**
   * The row has more than `maxRowBytes` bytes.
   * @remedy Raise `maxRowBytes` if rows of this size are right; otherwise look for a quote that is
   * never closed.
   */
  TSV_ROW_TOO_LARGE: RowPosition & { limitBytes: number }
  /**
   * The row has bytes that are not UTF-8, or not of `dialect.encoding`, and `invalidUtf8` is
   * `'bad-row'`.
   * @remedy Give `dialect.encoding` if the file is in another encoding; `invalidUtf8: 'replace'`
   * keeps such rows, with U+FFFD in place of the bytes.
   */
  TSV_UTF8_INVALID: RowPosition
  /**
   * A line of JSON is no object, has a name twice or one that is no column, or a value that no cell
   * can have; `column` is the name.
   * @remedy Do what `reason` says, or leave such rows out with `onBadRow: 'skip'`.
   */
  TSV_JSON_INVALID: RowPosition & { reason: string; column?: string }
  /**
   * The file has more bad rows than `maxBadRows` allows.
   * @remedy Look at the bad rows by a function as `onBadRow`, and raise `maxBadRows` only if they
   * may be lost.
   */
  TSV_BAD_ROWS_LIMIT: RowPosition & { limit: number }

  // Cells.
  /**
   * The text of a cell is not a value of its column's type.
   * @remedy Read the cell by `row.text`, or decide by `onBadCell` what becomes of such cells.
   */
  CELL_INVALID: Partial<CellPosition> & { type: string; reason: string }

  // Rows.
  /**
   * A schema that `validate` was given refuses the row. `column` begins the path of its first issue.
   * The position is that of a row; an object has none.
   * @remedy Report the row to the sender, or correct the schema; `onBadRow` of `validate` leaves such
   * rows out.
   */
  ROW_INVALID: Partial<RowPosition> & { column?: string; reason: string }

  // Join, merge, state.
  /**
   * A row lacks the key that a join or merge needs.
   * @remedy Keep the key column in `columns`, and leave rows without a key out before the join or
   * merge.
   */
  KEY_MISSING: Partial<RowPosition> & { column: string }
  /**
   * The key of a row has more bytes than the limit.
   * @remedy Leave the row out before the join or merge: no key of the service is this long.
   */
  KEY_TOO_LONG: Partial<RowPosition> & { column: string; bytes: number; limitBytes: number }
  /**
   * A row has no version: neither the row nor its file has a date.
   * @remedy Give the parser a `file` with a date, or the merger a `versionOf`.
   */
  VERSION_MISSING: Partial<RowPosition> & { key: string }
  /**
   * The state reached a limit. `option` names the limit, or `source.files` where too many rows of one
   * key are kept.
   * @remedy Raise the option that `option` names; for `source.files`, list a full file.
   */
  STATE_LIMIT: { option: string; limit: number }
  /**
   * Stored bytes differ from those that were written, and none of them is used. `path` is the file,
   * or the folder where the file is unknown.
   * @remedy Restore the folder from a backup, or delete it and synchronise again.
   */
  STATE_CORRUPT: { path: string; reason: string }
  /**
   * The state could not be read or written. `reason` is the code of the operating system where it
   * gave one, such as ENOSPC.
   * @remedy Make room or correct the permissions, as `reason` says, and run again: the run
   * continues where it stopped.
   */
  STATE_IO: { path: string; operation: string; reason: string }
  /**
   * Another process writes to the state folder or the database; readers of a state folder take no
   * lock. The context has the process id of the writer, its host, the time of the lock, and the file
   * that records them, as far as they are known. Without a `pid`, the folder of this process may have
   * been moved or taken over by another one.
   * @remedy Wait for the process that `pid` names, or end it; the lock ends with its process. Begin
   * another run where a moved folder is now.
   */
  STATE_LOCKED: { path: string; pid?: number; host?: string; since?: string; file?: string }
  /**
   * The folder is no state folder, or one of another format, another service or another
   * marketplace, or it keeps the rows of a feed by other columns.
   * @remedy Choose another folder, or the version, service or marketplace that the folder belongs
   * to. A state of another format is made anew in an empty folder.
   */
  STATE_FOREIGN: { path: string; what: string; expected: string; received: string }
  /**
   * A reader found no state in the folder or the database: no run has written one.
   * @remedy Run `sync` into it first, or check the path.
   */
  STATE_MISSING: { path: string }
  /**
   * Something was read of a state behind its `close()`.
   * @remedy Close the state when all reading has ended.
   */
  STATE_CLOSED: { path: string }
  /**
   * A file could not be fetched and verified for as long as `patienceMs` allows. `cause` is the
   * last failure.
   * @remedy Read `cause`; the next run asks for the file again.
   */
  SYNC_FILE_FAILED: { file: string; attempts: number }
  /**
   * A bootstrap or full file lacks most of the rows of the state, and the service did not prove that
   * it is empty. None of its rows was applied. For a file of more than 65,536 rows `rowsRemoved` is an
   * estimate from a sample.
   * @remedy Check whether the category really became so small, and then raise `maxRemovedShare` for
   * one run.
   */
  SYNC_REMOVAL_REFUSED: {
    category: string
    file: string
    rowsBefore: number
    rowsRemoved: number
    maxRemovedShare: number
  }
  /**
   * A full file of a feed of your own has more bad rows than `maxBadShare` allows. None of its rows was
   * applied, because it would remove the keys of those that cannot be read.
   * @remedy Check `schema` and `dialect`, list the mended file under another `id`, or raise
   * `maxBadShare` for one run.
   */
  SYNC_BAD_ROWS_REFUSED: { file: string; rowsRead: number; badRows: number; maxBadShare: number }
  /**
   * The function `accept` of a synchronisation has refused a file. Nothing of it was applied.
   * @remedy Look at what `reason` says of the file. A later file of its place is asked about again.
   */
  SYNC_FILE_REFUSED: { file: string; reason: string }
  /**
   * The files that are kept do not suffice to make the state of the requested time.
   * @remedy Ask for a later time, and raise `keepFileBytes` so that more files are kept from now
   * on.
   */
  STATE_HISTORY_MISSING: { category: string; asOf: string; reason: string }

  // Quarantines.
  /**
   * A line of a quarantine is no record. `line` counts from 1.
   *
   * @remedy Mend the line, or remove it: each line is one JSON record as the quarantine wrote it.
   */
  QUARANTINE_INVALID: { path: string; line: number; reason: string }

  // Queues.
  /**
   * The server of a queue does not answer for as long as `timeoutMs` allows, or it refused an
   * operation; or a job cannot be started (`operation` is then `start a job`). `queue` is its
   * address without credentials.
   *
   * @remedy Check that the server runs and that its address and password are right; then run again.
   * A job says itself what to do.
   */
  QUEUE_FAILED: { queue: string; operation: string; reason: string }
  /**
   * The limit of requests a day, which all processes with this queue share, is used up. `until` is
   * the beginning of the next day (UTC).
   *
   * @remedy Wait until `until`, or raise the limit if the quota of the account allows it.
   */
  QUEUE_DAILY_LIMIT: { queue: string; perDay: number; until: string }

  // Sinks.
  /**
   * The output could not be written. `reason` is the code of the operating system (ENOSPC, EACCES,
   * EPIPE) where it gave one, and `cause` the original error. A file or table is as it was before,
   * unless `mayBeCommitted` is true: then the answer to COMMIT is lost, and the rows may be there.
   * @remedy Make room or correct the path or its permissions, as `reason` says, and run again. With
   * `mayBeCommitted` look whether the rows are there before.
   */
  SINK_FAILED: { sink: string; target: string; reason: string; mayBeCommitted?: true }
  /**
   * The format of the sink cannot express a value. `row` counts from 1 over all rows that the sink
   * was given.
   * @remedy Turn the value into text, a number or plain objects with `map` before the sink.
   */
  SINK_VALUE_INVALID: { sink: string; row: number; reason: string }
  /**
   * A part of what a run wrote stands, and another does not; `cause` is the failure. The parts are
   * the sinks of `tee` with their positions, the files of `partitionBy`, or a file that has its new
   * content in a folder that could not be synced, so that a power loss may undo it. What is in
   * `aborted` is as it was before; what is in none of the lists may be either.
   * @remedy Read `cause`, look at what is in none of the lists, then write again what is not in
   * `committed`.
   */
  SINK_PARTLY_COMMITTED: {
    committed: readonly string[]
    failed: string
    aborted: readonly string[]
  }

  // Benchmarks.
  /**
   * A file has no benchmarks, cannot be loaded, or describes one wrongly.
   * @remedy Correct the file as `reason` says.
   */
  BENCH_FILE_INVALID: { path: string; reason: string }
  /**
   * `check` of a benchmark says that the result of a run is wrong. Its figures mean nothing.
   * @remedy Correct the benchmark or the code that it measures: the result is wrong.
   */
  BENCH_RESULT_WRONG: { bench: string; count: number; reason: string }
  /**
   * A benchmark gives no figures: its code failed, its process ended or made no progress, or the
   * version to compare with cannot be built. `step` names what failed.
   * @remedy Run the step that `step` names by hand, and correct what it prints.
   */
  BENCH_FAILED: { step: string; reason: string }
}

export type ErrorCode = keyof ErrorContexts

/**
 * The family of a code, by its first word: what failed. Programs decide by the family where they
 * treat several codes alike. The type makes a code without a family a compile error.
 */
const FAMILIES = {
  OPTION: 'usage',
  COLUMN: 'usage',
  DEPENDENCY: 'usage',
  LISTEN: 'usage',
  STAGE: 'stage',
  ABORTED: 'stage',
  HTTP: 'http',
  REQUEST: 'operation',
  RESPONSE: 'operation',
  TOKEN: 'token',
  RANGE: 'range',
  CHUNK: 'chunk',
  GZIP: 'gzip',
  UNPACK: 'unpack',
  TSV: 'tsv',
  CELL: 'row',
  ROW: 'row',
  KEY: 'row',
  VERSION: 'row',
  STATE: 'state',
  SYNC: 'sync',
  QUEUE: 'queue',
  SINK: 'sink',
  QUARANTINE: 'sink',
  BENCH: 'bench',
} as const satisfies Readonly<Record<FirstWord<ErrorCode>, string>>

type FirstWord<Code> = Code extends `${infer Word}_${string}` ? Word : Code

export type ErrorFamily = (typeof FAMILIES)[keyof typeof FAMILIES]

/** Returns the family of a code; undefined for a first word that this copy does not know. */
export function familyOf(code: ErrorCode): ErrorFamily | undefined {
  const [word] = code.split('_')
  return FAMILIES[word as keyof typeof FAMILIES]
}

/** Codes of failures that may pass. A single error can override the default of its code. */
const RETRYABLE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'HTTP_TRANSPORT',
  'HTTP_TIMEOUT',
  'RANGE_FILE_REPLACED',
  'RANGE_RETRIES_EXHAUSTED',
  'GZIP_TRUNCATED',
  'GZIP_CRC_MISMATCH',
  'GZIP_SIZE_MISMATCH',
  'SYNC_REMOVAL_REFUSED',
  'QUEUE_FAILED',
])

export interface FeedErrorOptions {
  readonly cause?: unknown
  readonly retryable?: boolean
}

/** The union over all codes: a comparison of `error.code` narrows `error.context`. */
export type AnyFeedError = { [C in ErrorCode]: FeedError<C> }[ErrorCode]

/**
 * The error of every failure in this package. `code` says what happened, and `context` where: see
 * {@link ErrorContexts}.
 *
 * @example
 * ```ts
 * import { FeedError, itemSchema, pipeline, TsvRowParser } from 'feedmill'
 *
 * try {
 *   await pipeline([Buffer.from('itemId\ttitle\nv1|1|0\n')])
 *     .to(new TsvRowParser({ schema: itemSchema }))
 *     .toArray()
 * } catch (error) {
 *   if (!FeedError.is(error) || error.code !== 'TSV_ROW_SHORT') throw error
 *   console.log(error.code, 'line', error.context.line, error.retryable)
 * }
 * // => TSV_ROW_SHORT line 2 false
 * ```
 */
export class FeedError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'FeedError'
  /** What happened: a stable code. */
  readonly code: C
  /** Where it happened: positions, numbers and short texts, by the code. */
  readonly context: Readonly<ErrorContexts[C]>
  /** True where the same work may succeed when it is repeated later. */
  readonly retryable: boolean

  constructor(code: C, message: string, context: ErrorContexts[C], options: FeedErrorOptions = {}) {
    super(
      printableText(message),
      options.cause === undefined ? undefined : { cause: options.cause },
    )
    this.code = code
    this.context = Object.freeze({ ...context }) as Readonly<ErrorContexts[C]>
    this.retryable = options.retryable ?? RETRYABLE.has(code)
  }

  /**
   * Returns what `JSON.stringify` writes, and what a message to another thread or process should
   * have in place of the error, because a clone of an error keeps its message alone. The stack is
   * left out. A cause that is no FeedError has its name and its message.
   */
  toJSON(): FeedErrorJson {
    return jsonOf(this as AnyFeedError, MOST_CAUSES)
  }

  /**
   * Returns the error that `toJSON` was asked of, with its code, message, context and causes:
   * `FeedError.from(JSON.parse(text))`.
   * @throws FeedError OPTION_INVALID
   */
  static from(told: unknown): AnyFeedError {
    if (FeedError.is(told)) return told
    const { name, code, message, context, retryable, cause } = (told ??
      {}) as Partial<FeedErrorJson>
    if (name !== 'FeedError' || typeof code !== 'string' || typeof message !== 'string') {
      const wrong = { option: 'told', expected: 'what toJSON() of a FeedError gave' }
      throw new FeedError('OPTION_INVALID', `told must be ${wrong.expected}`, {
        ...wrong,
        received: typeof told,
      })
    }
    return new FeedError(code, message, (context ?? {}) as never, {
      ...(retryable !== undefined && { retryable }),
      ...(cause !== undefined && { cause: causeOf(cause) }),
    }) as AnyFeedError
  }

  /** Recognises a FeedError by its shape, because a process may load two copies of the package. */
  static is(value: unknown): value is AnyFeedError {
    return (
      value instanceof Error &&
      value.name === 'FeedError' &&
      typeof (value as { code?: unknown }).code === 'string' &&
      'context' in value
    )
  }
}

/** An error as plain data. */
export interface FeedErrorJson {
  readonly name: 'FeedError'
  readonly code: ErrorCode
  readonly message: string
  readonly context: object
  readonly retryable: boolean
  /** The cause of the error, in the same form where it is a FeedError. */
  readonly cause?: FeedErrorJson | OtherErrorJson
}

/** An error of another package as plain data. */
export interface OtherErrorJson {
  readonly name: string
  readonly message: string
}

/** Causes may form a circle. */
const MOST_CAUSES = 16

function jsonOf(error: AnyFeedError, causes: number): FeedErrorJson {
  const { code, message, context, retryable, cause } = error
  const json: FeedErrorJson = { name: 'FeedError', code, message, context, retryable }
  if (cause === undefined || causes === 0) return json
  if (FeedError.is(cause)) return { ...json, cause: jsonOf(cause, causes - 1) }
  const name = cause instanceof Error ? cause.name : 'Error'
  return { ...json, cause: { name, message: messageOf(cause) } }
}

function causeOf(told: FeedErrorJson | OtherErrorJson): Error {
  if (told.name === 'FeedError') return FeedError.from(told)
  return Object.assign(new Error(told.message), { name: told.name })
}

/** Returns a FeedError unchanged, and any other thrown value as the cause of a STAGE_FAILED. */
export function asFeedError(value: unknown, stage: string): AnyFeedError {
  if (FeedError.is(value)) return value
  const message = `${stage}: ${messageOf(value)}`
  return new FeedError('STAGE_FAILED', message, { stage }, { cause: value })
}

/** Returns the text of whatever was thrown. */
export function messageOf(value: unknown): string {
  const { message } = Object(value) as { message?: unknown }
  if (typeof message === 'string') return message
  return typeof value === 'object' ? Object.prototype.toString.call(value) : String(value)
}

/** @param reason what the caller's signal gives */
export function aborted(stage: string, message: string, reason: unknown): FeedError<'ABORTED'> {
  return new FeedError('ABORTED', message, { stage }, { cause: reason })
}

/**
 * The error for an optional package that is not installed, or does not load. The `import()` of one
 * stands inside of `try` itself: only there do bundlers let a package be missing.
 */
export function missingPackage(
  neededFor: string,
  name: string,
  toInstall: string,
  cause: unknown,
): FeedError<'DEPENDENCY_MISSING'> {
  const advice = loadingAdvice(name, cause)
  const message =
    advice === undefined
      ? `${neededFor} needs the package ${name}: npm install ${toInstall}`
      : `${neededFor} needs the package ${name}, which is there and does not load (${excerpt(messageOf(cause), 120)}): ${advice}`
  return new FeedError('DEPENDENCY_MISSING', message, { package: name, neededFor }, { cause })
}

/** Returns what to do about a package that is installed; undefined for one that is not. */
function loadingAdvice(name: string, cause: unknown): string | undefined {
  const { code } = (cause ?? {}) as { readonly code?: unknown }
  const text = messageOf(cause)
  if (code === 'ERR_DLOPEN_DISABLED') return 'run Node without --no-addons, or with --allow-addons'
  if (code === 'ERR_ACCESS_DENIED') return 'allow it by --allow-fs-read and --allow-addons'
  const missing = /^Cannot find (?:module|package) '([^']+)'/.exec(text)?.[1]
  const isOther = missing !== undefined && !name.split(' ').includes(missing)
  if (code !== 'ERR_DLOPEN_FAILED' && !isOther && !/^Could not locate the bindings/.test(text))
    return undefined
  return `install it again for this machine and this Node, with its native parts: npm rebuild ${name}`
}

/** Controls of terminals, C0 and C1, and marks that change the order in which text is read. */
const CONTROLS = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

/**
 * Returns a text of a file or a server as one line that does nothing but stand there: line ends
 * become `⏎`, tabs become spaces, and controls of terminals and of the direction of text become
 * `�`. The messages of all errors are such lines.
 * @throws FeedError OPTION_INVALID
 * @example
 * ```ts
 * import { printableText } from 'feedmill'
 *
 * console.log(printableText('\u001b[2Jnothing\r\nis wrong'))
 * // => �[2Jnothing⏎is wrong
 * ```
 */
export function printableText(text: string): string {
  if (typeof text !== 'string') {
    const context = { option: 'text', expected: 'text', received: typeof text }
    throw new FeedError('OPTION_INVALID', `text must be text, not ${context.received}`, context)
  }
  return text
    .replaceAll(/\r\n|\r|\n/g, '⏎')
    .replaceAll('\t', ' ')
    .replaceAll(CONTROLS, '�')
}

/** Cuts a text to a length that fits into the context of an error. */
export function excerpt(text: string, limit = 80): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`
}

// A feed of one's own as a source: its list says which files are due.
//
//   base   the newest full file, applied or listed: the files before it are needless
//   due    the base and all later files that were not applied, in the order of time
//
// A file that cannot be had holds back the later ones, as a missing hour of the service does, and a
// full file that cannot be had is no base.

import { printableUrl, Retries, type RetryPolicy, Secrets } from '../../engine/index'
import { NodeTransport, type RangeTuning } from '../../service/index'
import { type FileId, fileIdKey, isOwn, OWN, type OwnId } from '../file-id'
import type { CategoryPlan } from '../plan/calendar'
import type { AppliedFile } from '../target/target'
import {
  checkedPlace,
  compareFiles,
  type FeedSource,
  type FileOpener,
  fullTimeTaken,
  isPlace,
  type ListedFile,
  listedFiles,
  newest,
  rulesOfSource,
} from './feed-source'
import {
  answerOf,
  isOfSource,
  localBlocks,
  openedBlocks,
  type PlaceOptions,
  type RemoteFile,
  remoteBlocks,
} from './place-blocks'
import { PolledPlace } from './polled-file'
import type { SyncSource } from './sync-source'

export function ownSource(
  source: FeedSource,
  retry: RetryPolicy,
  ranges: RangeTuning = {},
): SyncSource {
  const own = rulesOfSource(source)
  const { name, files, headers = {}, content } = source
  let listed: readonly ListedFile[] = []
  let opened: NodeTransport | undefined
  const polled = new PolledPlace()
  const secrets = new Secrets()

  async function filesNow(
    applied: readonly AppliedFile[],
    signal: AbortSignal,
  ): Promise<readonly ListedFile[]> {
    if (typeof files === 'function')
      return listedFiles(name, await answerOf('files', () => files({ signal }), signal, LIST_MS))
    if (!isPlace(files)) return listedFiles(name, files)
    const at = checkedPlace('source.files', files)
    const place = typeof at === 'string' ? at : remoteFile(at)
    const found = await polled.ask(place, applied, {
      signal,
      ranges: { ...ranges, retry: { ...retry, ...ranges.retry } },
    })
    const listed = listedFiles(name, found ? [found.file] : [])
    return listed.map(file => ({ ...file, identity: found!.identity }))
  }

  async function refresh(signal: AbortSignal, applied: readonly AppliedFile[]): Promise<void> {
    const retries = new Retries(retry, signal)
    for (;;) {
      try {
        listed = await filesNow(applied, signal)
        return
      } catch (error) {
        signal.throwIfAborted()
        const mayPass = isOfSource(error) && error.retryable
        if (!mayPass || !(await retries.again(error))) throw error
      }
    }
  }

  function remoteFile(url: URL): RemoteFile {
    const transport = source.transport ?? (opened ??= new NodeTransport())
    secrets.rememberUrl(url)
    return { url, headers, transport, secrets, ...(content && { content }) }
  }

  async function* blocksOf(id: FileId, given: PlaceOptions): AsyncGenerator<Uint8Array> {
    const { from, expected, identity } = fileOf(id)!
    const options = identity ? { resume: { offset: 0, identity }, ...given } : given
    const { resume, signal = new AbortController().signal } = options
    const open = () => (from as FileOpener)({ offset: resume?.offset ?? 0, signal })
    const place = typeof from === 'function' ? await answerOf('from', open, signal) : from
    if (typeof place === 'object' && 'bytes' in place)
      return yield* openedBlocks(place, (id as OwnId).id, options)
    const at = checkedPlace('source.files[].from', place)
    if (typeof at === 'string') return yield* localBlocks(at, options)
    yield* remoteBlocks({ ...remoteFile(at), ...(expected && { expected }) }, options)
  }

  const fileOf = (id: FileId) => listed.find(file => file.id.id === (id as OwnId).id)
  return {
    origin: { marketplace: OWN, service: OWN },
    categories: [{ marketplace: OWN, categoryId: name }],
    own,
    removalsKeptMs: undefined,
    refresh,
    plan: (_, done, missing) => planOwn(listed, done, missing),
    download: id => ({
      compressed: options => ({ batches: () => blocksOf(id, options) }),
      covered: error => secrets.covered(error),
    }),
    nameOf: id => {
      const from = isPlace(files) ? files : fileOf(id)?.from
      const isAddress = from instanceof URL || /^https?:/i.test(String(from))
      if (isAddress) return printableUrl(String(from))
      return typeof from === 'string' ? from : (id as OwnId).id
    },
    expected: id => fileOf(id)?.expected,
    renewsAddress: id => typeof fileOf(id)?.from === 'function',
    close: async () => {
      await polled.close()
      await opened?.close()
    },
  }
}

/**
 * Plans the next files of a list, which is in the order of {@link compareFiles}.
 * @throws FeedError OPTION_INVALID for a full file with the time of another that was applied
 */
export function planOwn(
  listed: readonly ListedFile[],
  done: readonly FileId[],
  missing: readonly FileId[],
): CategoryPlan {
  const isFull = ({ kind }: OwnId) => kind === 'full'
  const applied = done.filter(isOwn)
  const known = new Set(applied.map(({ id }) => id))
  const missed = new Set(missing.map(fileIdKey))
  const isMissing = (id: OwnId) => missed.size > 0 && missed.has(fileIdKey(id))
  const open = listed.map(({ id }) => id).filter(({ id }) => !known.has(id))
  const fullTimes = new Map(applied.filter(isFull).map(({ time, id }) => [time, id]))
  for (const id of open.filter(isFull)) {
    const other = fullTimes.get(id.time)
    if (other !== undefined) throw fullTimeTaken('source.files[].time', id, other)
  }
  const isBase = (id: OwnId) => isFull(id) && !isMissing(id)
  const base = newest([...applied.filter(isBase), ...open.filter(isBase)])
  const due = open.filter(id => base === undefined || compareFiles(id, base) >= 0)
  const firstMissing = due.findIndex(isMissing)
  const end = firstMissing < 0 ? due.length : firstMissing
  const [next] = due
  const last = newest(applied.filter(id => next === undefined || compareFiles(id, next) < 0))
  return {
    ready: due.slice(0, end),
    held: due.slice(end).filter(id => !isMissing(id)),
    waiting: due.filter(isMissing).map(id => ({ id, from: undefined })),
    gone: [],
    watermark: last && new Date(last.time),
    needsBootstrap: [],
  }
} /** The limit of the wait for a list, which may have a million files. */
const LIST_MS = 600_000

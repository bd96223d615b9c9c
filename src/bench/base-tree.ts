// The tree of an earlier commit, in a folder of its own inside the repository: what git checks out
// there, built by the command of the caller, with the files of benchmarks of the working tree. The
// folder lies inside the repository so that Node finds the packages of the repository from there.

import { execFile } from 'node:child_process'
import { cp, lstat, mkdir, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { FeedError } from '../engine/index'
import { benchFailed } from './bench-failed'
import type { BenchPlan } from './bench-plan'

const FOLDER = '.feedmill-bench'

const execute = promisify(execFile)

/** `npm ci` over a slow network takes the longest. */
const TIME_LIMIT_MS = 15 * 60 * 1000
const OUTPUT_BYTES = 64 * 1024 * 1024
/** The end of a long output says what failed. */
const SHOWN_LETTERS = 1_500

type BaseTreeOptions = Pick<BenchPlan, 'files' | 'onProgress'> & {
  readonly base: string
  /** The option that names the commit, and the folder of the tree. Default: `base`. */
  readonly option?: 'base' | 'against'
  readonly build?: string | undefined
}

/**
 * Returns the hash of the commit, and a function that gives the path in its tree of a file of the
 * working tree.
 * @throws FeedError OPTION_INVALID, BENCH_FAILED
 */
export async function baseTree(options: BaseTreeOptions) {
  const { files, base, option = 'base', build, onProgress } = options
  const paths = await Promise.all(files.map(pathOfFile))
  const root = await rootOf(dirname(paths[0]!), option)
  const directory = join(root, FOLDER, option)
  const inBase = (file: string) => join(directory, relative(root, file))
  const outside = paths.find(path => relative(root, path).startsWith('..'))
  if (outside !== undefined) throw invalid('files', `a file inside the repository ${root}`, outside)
  const commit = await commitOf(root, base, option)
  const drop = () => dropTree(root, directory)
  await checkFolder(join(root, FOLDER), option)
  onProgress({ done: 0, what: `checking out ${base}` })
  await drop()
  await mkdir(join(root, FOLDER), { recursive: true })
  // Nothing in the folder is ever committed.
  const ignored = join(root, FOLDER, '.gitignore')
  await rm(ignored, { force: true })
  await writeFile(ignored, '*\n', { flag: 'wx' })
  await command({ cwd: root }, 'git', 'worktree', 'add', '--quiet', '--detach', directory, commit)
  try {
    if (build !== undefined) {
      onProgress({ done: 0, what: `building ${base}` })
      const env = { ...process.env, FEEDMILL_BENCH_HEAD: root }
      await command({ cwd: directory, env, shell: true }, build)
    }
    for (const path of paths) {
      await mkdir(dirname(inBase(path)), { recursive: true })
      await cp(path, inBase(path))
    }
  } catch (error) {
    await drop()
    throw error
  }
  const pathOf = new Map(files.map((file, at) => [file, inBase(paths[at]!)]))
  return { commit, inBase: (file: string) => pathOf.get(file)!, drop }
}

async function pathOfFile(file: string): Promise<string> {
  const path = await realpath(file).catch(() => undefined)
  if (path !== undefined && (await stat(path)).isFile()) return path
  throw invalid('files', 'files that are there', file)
}

/** A link would lead the removal of an old tree, and what git checks out, to another place. */
async function checkFolder(folder: string, option: string): Promise<void> {
  const found = await lstat(folder).catch(() => undefined)
  if (found !== undefined && !found.isDirectory())
    throw invalid(option, `used where ${FOLDER} is a folder or missing`, folder)
}

async function rootOf(folder: string, option: string): Promise<string> {
  const words = ['rev-parse', '--show-toplevel']
  const root = await command({ cwd: folder }, 'git', ...words).catch(() => {
    throw invalid(option, 'used in a git repository', folder)
  })
  return root.trimEnd()
}

async function commitOf(root: string, ref: string, option: string): Promise<string> {
  const words = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`]
  const hash = await command({ cwd: root }, 'git', ...words).catch(() => {
    const expected =
      'a commit that is in the repository (a shallow clone has only the newest: fetch the commit, or use `fetch-depth: 0` in actions/checkout)'
    throw invalid(option, expected, ref)
  })
  return hash.trim()
}

/** Returns the commit of a folder as a report has it; undefined outside a repository. */
export async function commitOfFolder(folder: string): Promise<string | undefined> {
  // Without any tag the command says the hash.
  const words = ['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*']
  return command({ cwd: folder }, 'git', ...words).then(
    text => text.trim(),
    () => undefined,
  )
}

/** Removes the tree, also one that a killed process has left. */
async function dropTree(root: string, directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true })
  await command({ cwd: root }, 'git', 'worktree', 'prune')
}

function invalid(option: string, expected: string, received: string): FeedError<'OPTION_INVALID'> {
  const message = `${option} must be ${expected}, not ${received}`
  return new FeedError('OPTION_INVALID', message, { option, expected, received })
}

interface CommandPlace {
  readonly cwd: string
  readonly env?: NodeJS.ProcessEnv
  /** True where the name is a line for the shell of the system. */
  readonly shell?: true
}

/**
 * Runs one command to its end, in silence: what it prints is shown only where it fails. Returns the
 * standard output.
 * @throws FeedError BENCH_FAILED
 */
export async function command(
  place: CommandPlace,
  name: string,
  ...args: string[]
): Promise<string> {
  try {
    const { stdout } = await execute(name, args, {
      ...place,
      timeout: TIME_LIMIT_MS,
      maxBuffer: OUTPUT_BYTES,
    })
    return stdout
  } catch (cause) {
    const { stderr = '', stdout = '', message } = cause as Error & Record<string, string>
    const output = `${stdout}${stderr}`.trim() || message
    const words = [name, ...args].join(' ')
    throw benchFailed(`\`${words}\` in ${place.cwd}`, output.slice(-SHOWN_LETTERS), cause)
  }
}

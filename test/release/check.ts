// `npm run release:check`: everything about a release that can be checked without publishing it. It
// builds the last commit twice, in two clones at different places with different settings of the
// machine, and compares every byte.
//
//   npm run release:check                                  what a commit must keep
//   npm run release:check -- --tag v1.2.3 --out FOLDER     a release: its tag and date too; the folder
//                                                          gets the package, its SBOM and checksums

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import {
  actionsOf,
  changelogProblems,
  differences,
  installScriptProblems,
  type Lock,
  licenceProblems,
  lockProblems,
  type Manifest,
  packedProblems,
  sbomProblems,
} from './rules'

/** A build of the last commit. */
interface Build {
  readonly folder: string
  readonly tarball: string
  /** The paths of the files of the package. */
  readonly packed: readonly string[]
}

const SBOM = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only']
const WORKFLOWS = '.github/workflows'
/** Settings that must not reach a build: the time zone, the language, and how many files are read at once. */
const MACHINES = [
  { TZ: 'UTC', LANG: 'C', UV_THREADPOOL_SIZE: '1' },
  { TZ: 'Asia/Kathmandu', LANG: 'tr_TR.UTF-8', UV_THREADPOOL_SIZE: '8' },
]

const { tag, out } = parseArgs({
  options: { tag: { type: 'string' }, out: { type: 'string' } },
}).values
const textOf = (path: string) => readFile(path, 'utf8')
const started = performance.now()

const manifest: Manifest = JSON.parse(await textOf('package.json'))
const { packages }: { packages: Lock } = JSON.parse(await textOf('package-lock.json'))

report(
  'version and changelog',
  changelogProblems(await textOf('CHANGELOG.md'), manifest.version, tag),
)
report('integrity of the lock file', lockProblems(packages))
report('licences', licenceProblems(packages, manifest))
report('install scripts', installScriptProblems(packages, manifest))
report('actions of the workflows', await workflowProblems())
await checkBuilds()

async function workflowProblems(): Promise<string[]> {
  const names = await readdir(WORKFLOWS)
  const texts = await Promise.all(names.map(name => textOf(join(WORKFLOWS, name))))
  const actions = texts.map(actionsOf)
  for (const name of new Set(actions.flatMap(({ byTag }) => byTag)))
    console.log(`notice: ${name} is pinned by a tag and not by the hash of a commit`)
  return actions.flatMap(({ unpinned }) => unpinned).map(name => `${name} is not pinned`)
}

async function checkBuilds(): Promise<void> {
  if ((await run('.', 'git', 'status', '--porcelain')) !== '')
    console.log('notice: the builds are of the last commit, and the working tree differs from it')
  const root = await mkdtemp(join(tmpdir(), 'feedmill-release-'))
  try {
    const [one, other] = (await Promise.all([
      build(join(root, 'a'), MACHINES[0]!),
      build(join(root, 'another-place'), MACHINES[1]!),
    ])) as [Build, Build]
    report('files of the package', packedProblems(one.packed))
    report('two builds with equal bytes', differences(await digests(one), await digests(other)))
    const sbom = await sbomOf(join(root, 'sbom/feedmill'))
    report('SBOM', sbomProblems(JSON.parse(sbom), packages))
    if (out !== undefined && process.exitCode === undefined) await writeRelease(out, one, sbom)
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

/**
 * npm's own `--omit dev` also leaves out a package that users install and that a package of the
 * development depends on too, so npm gets a project without the development.
 */
async function sbomOf(folder: string): Promise<string> {
  const project = { ...manifest, devDependencies: undefined, peerDependencies: undefined }
  const required = Object.entries(packages).filter(([, { dev }]) => dev !== true)
  const lock = { lockfileVersion: 3, packages: { ...Object.fromEntries(required), '': project } }
  // npm names the project of an SBOM by its folder.
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), JSON.stringify(project))
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lock))
  return run(folder, 'npm', ...SBOM)
}

async function build(place: string, machine: NodeJS.ProcessEnv): Promise<Build> {
  const folder = join(place, 'feedmill')
  await run('.', 'git', 'clone', '--quiet', '--depth', '1', `file://${process.cwd()}`, folder)
  await runOn(machine, folder, 'npm', 'ci')
  await runOn(machine, folder, 'npm', 'run', 'pages')
  await runOn(machine, folder, 'npm', 'run', 'build')
  const [{ filename, files }] = JSON.parse(
    await runOn(machine, folder, 'npm', 'pack', '--json', '--ignore-scripts', '--silent'),
  )
  return { folder, tarball: filename, packed: files.map(({ path }: { path: string }) => path) }
}

/** The digests of the files of the package, of the package, and of the modules that hold WebAssembly. */
async function digests({ folder, tarball, packed }: Build): Promise<Map<string, string>> {
  const made = (await readdir(join(folder, 'src'), { recursive: true }))
    .filter(path => /-(?:binary|source)\.ts$/.test(path))
    .map(path => join('src', path))
  const paths = [...packed, ...made, tarball]
  const entries = paths.map(async path => [path, await digest(join(folder, path))] as const)
  return new Map(await Promise.all(entries))
}

async function writeRelease(
  target: string,
  { folder, tarball }: Build,
  sbom: string,
): Promise<void> {
  await mkdir(target, { recursive: true })
  await copyFile(join(folder, tarball), join(target, tarball))
  await writeFile(join(target, 'sbom.cdx.json'), sbom)
  const lines = [tarball, 'sbom.cdx.json'].map(
    async name => `${await digest(join(target, name))}  ${name}\n`,
  )
  await writeFile(join(target, 'SHA256SUMS'), (await Promise.all(lines)).join(''))
  console.log(`written to ${target}`)
}

async function digest(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex')
}

function run(folder: string, ...command: [string, ...string[]]): Promise<string> {
  return runOn({}, folder, ...command)
}

async function runOn(
  machine: NodeJS.ProcessEnv,
  cwd: string,
  program: string,
  ...words: string[]
): Promise<string> {
  const env = { ...process.env, ...machine }
  return (await promisify(execFile)(program, words, { cwd, env, maxBuffer: 1 << 26 })).stdout
}

function report(check: string, problems: readonly string[]): void {
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  console.log(`${problems.length === 0 ? 'right' : 'WRONG'}: ${check} (${seconds} s)`)
  for (const problem of problems) console.error(`  ${problem}`)
  if (problems.length > 0) process.exitCode = 1
}

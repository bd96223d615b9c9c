// What must hold of a release: the changelog, the lock file, the files of the package, and the
// workflows. Each function returns what is wrong, one line each, and reads nothing by itself.

/** The part of package.json that the rules read. */
export interface Manifest {
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
  /** What npm may run when a package is installed: https://docs.npmjs.com, `npm help install-scripts`. */
  readonly allowScripts: Readonly<Record<string, boolean>>
}

/** A package of package-lock.json, by its folder in `packages`. */
export interface LockedPackage {
  readonly version: string
  readonly integrity?: string
  readonly resolved?: string
  readonly license?: string
  readonly dev?: boolean
  readonly hasInstallScript?: boolean
}

export type Lock = Readonly<Record<string, LockedPackage>>

/** Licences that ask for nothing but to be named. */
const LICENCES = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT OR Apache-2.0',
]

/** The groups of Keep a Changelog. */
const GROUPS = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security']

/** A file of the package matches one of these. Pages for contributors stay in the repository. */
const PACKED = [
  /^(?:package\.json|feed\.schema\.json|LICENSE|README\.md|SECURITY\.md|CHANGELOG\.md)$/,
  /^dist\/[\w-]+\.(?:c?js|d(?:-[\w-]+\.d)?\.c?ts)$/,
  /^src\/(?:api|guide|reference)\/[\w-]+\.md$/,
  /^bench\/peers\.svg$/,
  /^fixtures\/(?:documents\/[\w-]+\.md|ingestion\/(?:README\.md|[\w-]+\.(?:mjs|py|sh)))$/,
  /^fixtures\/examples\/(?:README\.md|[\w-]+\/(?:package\.json|[\w-]+\.mjs))$/,
]

/** The package has each of these. */
const NEEDED = [
  'package.json',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'feed.schema.json',
  'dist/cli.js',
  'src/api/README.md',
  'src/reference/options.md',
]

/**
 * The first version of the changelog is that of the package, and a version has only the known groups.
 * @param tag the tag of the release, `v1.2.3`; a version that is released has a date
 */
export function changelogProblems(changelog: string, version: string, tag?: string): string[] {
  const [, first, date] = /^## (\S+) — (\S+)$/m.exec(changelog) ?? []
  const groups = [...changelog.matchAll(/^### (.*)$/gm)].map(([, name]) => name!)
  return [
    ...when(
      first !== version,
      `the changelog begins with ${first}, and package.json has ${version}`,
    ),
    ...when(tag !== undefined && tag !== `v${version}`, `the tag ${tag} is not v${version}`),
    ...when(
      tag !== undefined && !/^\d{4}-\d\d-\d\d$/.test(date ?? ''),
      `the changelog has no date for ${version}: ${date}`,
    ),
    ...groups
      .filter(name => !GROUPS.includes(name))
      .map(name => `the changelog has a group ${name}`),
  ]
}

/** Every package has a strong checksum, and none is bound to the address of one registry. */
export function lockProblems(lock: Lock): string[] {
  return packagesOf(lock).flatMap(([name, { integrity, resolved }]) => [
    ...when(
      !/^sha512-/.test(integrity ?? ''),
      `${name} has no integrity by SHA-512 in the lock file`,
    ),
    ...when(resolved !== undefined, `${name} names an address in the lock file`),
  ])
}

/** What users install with the package, or beside it, has a licence of the list. */
export function licenceProblems(lock: Lock, { peerDependencies }: Manifest): string[] {
  return packagesOf(lock)
    .filter(([name, { dev }]) => dev !== true || name in peerDependencies)
    .filter(([, { license }]) => !LICENCES.includes(license ?? ''))
    .map(([name, { license }]) => `${name} has the licence ${license}, which is not in the list`)
}

/** Somebody has decided about each package that wants to run a program when it is installed. */
export function installScriptProblems(lock: Lock, { allowScripts }: Manifest): string[] {
  const wanting = packagesOf(lock)
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
    .map(([name]) => name)
  const decided = Object.keys(allowScripts)
  return [
    ...wanting
      .filter(name => !decided.includes(name))
      .map(name => `${name} has an install script, and allowScripts of package.json lacks it`),
    ...decided
      .filter(name => !wanting.includes(name))
      .map(name => `allowScripts of package.json has ${name}, which has no install script`),
  ]
}

export function packedProblems(paths: readonly string[]): string[] {
  return [
    ...paths
      .filter(path => !PACKED.some(pattern => pattern.test(path)))
      .map(path => `the package has ${path}, which no pattern expects`),
    ...NEEDED.filter(path => !paths.includes(path)).map(path => `the package lacks ${path}`),
  ]
}

/** The actions that a workflow names by a tag, which their owner can move, and by less than that. */
export function actionsOf(workflow: string): { byTag: string[]; unpinned: string[] } {
  const used = [...workflow.matchAll(/^\s*(?:- )?uses: (\S+)/gm)]
    .map(([, name]) => name!)
    .filter(name => !name.startsWith('./') && !/@[0-9a-f]{40}$/.test(name))
  const isExact = (name: string) => /@v\d+\.\d+\.\d+$/.test(name)
  return { byTag: used.filter(isExact), unpinned: used.filter(name => !isExact(name)) }
}

/** The SBOM lists what the lock file says that users install, each with its checksum. */
export function sbomProblems(
  sbom: { readonly components?: readonly { 'bom-ref': string; hashes?: readonly unknown[] }[] },
  lock: Lock,
): string[] {
  const required = packagesOf(lock)
    .filter(([, { dev }]) => dev !== true)
    .map(([name, { version }]) => `${name}@${version}`)
  const listed = (sbom.components ?? [])
    .filter(({ hashes = [] }) => hashes.length > 0)
    .map(component => component['bom-ref'])
  return required
    .filter(name => !listed.includes(name))
    .map(name => `the SBOM lacks ${name} with its checksum`)
}

/** The names that differ between two folders, given the digests of their files. */
export function differences(
  one: ReadonlyMap<string, string>,
  other: ReadonlyMap<string, string>,
): string[] {
  return [...new Set([...one.keys(), ...other.keys()])]
    .filter(path => one.get(path) !== other.get(path))
    .map(path => `${path} differs between two builds of the same commit`)
    .sort()
}

/** The packages of a lock file with their names; the first entry is the project itself. */
function packagesOf(lock: Lock): [name: string, LockedPackage][] {
  return Object.entries(lock)
    .filter(([path]) => path !== '')
    .map(([path, entry]) => [path.replace(/^.*node_modules\//, ''), entry])
}

function when(isWrong: boolean, problem: string): string[] {
  return isWrong ? [problem] : []
}

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
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

const ROOT = join(import.meta.dirname, '../..')
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const manifest: Manifest & { readonly [name: string]: unknown } = JSON.parse(textOf('package.json'))
const { packages }: { packages: Lock } = JSON.parse(textOf('package-lock.json'))
const WORKFLOWS = readdirSync(join(ROOT, '.github/workflows'))
const workflow = (name: string) => parse(textOf(join('.github/workflows', name)))

test('the changelog, the lock file, the licences and the install scripts of this commit are right', () => {
  expect(changelogProblems(textOf('CHANGELOG.md'), manifest.version)).toEqual([])
  expect(Object.keys(packages).length).toBeGreaterThan(100)
  expect(lockProblems(packages)).toEqual([])
  expect(licenceProblems(packages, manifest)).toEqual([])
  expect(installScriptProblems(packages, manifest)).toEqual([])
})

describe('the changelog', () => {
  const CHANGELOG = '# Changelog\n\n## 1.2.0 — unreleased\n\n### Added\n\n## 1.1.0 — 2026-01-02\n'
  const DATED = CHANGELOG.replace('unreleased', '2026-02-03')
  test.each([
    ['its version', CHANGELOG, '1.2.0', undefined, []],
    ['a release', DATED, '1.2.0', 'v1.2.0', []],
    [
      'another version',
      CHANGELOG,
      '1.3.0',
      undefined,
      ['the changelog begins with 1.2.0, and package.json has 1.3.0'],
    ],
    ['another tag', DATED, '1.2.0', 'v1.1.0', ['the tag v1.1.0 is not v1.2.0']],
    [
      'a release without a date',
      CHANGELOG,
      '1.2.0',
      'v1.2.0',
      ['the changelog has no date for 1.2.0: unreleased'],
    ],
    [
      'a group of its own',
      `${CHANGELOG}\n### Improved\n`,
      '1.2.0',
      undefined,
      ['the changelog has a group Improved'],
    ],
  ])('%s', (_, text, version, tag, problems) => {
    expect(changelogProblems(text, version, tag)).toEqual(problems)
  })
})

describe('the lock file', () => {
  const good = { version: '1.0.0', integrity: 'sha512-a', license: 'MIT' }
  const LOCK: Lock = {
    '': { version: '0.1.0' },
    'node_modules/a': good,
    'node_modules/a/node_modules/@b/c': { ...good, dev: true, license: 'GPL-3.0' },
  }
  const lockWith = (more: object): Lock => ({
    ...LOCK,
    'node_modules/x/node_modules/@d/e': { ...good, ...more },
  })
  const decided = { ...manifest, peerDependencies: {}, allowScripts: {} }

  test('an entry without a checksum, with a weak one, or with an address is named', () => {
    expect(lockProblems(LOCK)).toEqual([])
    const { integrity: _, ...bare } = good
    expect(lockProblems({ 'node_modules/a': bare })).toEqual([
      'a has no integrity by SHA-512 in the lock file',
    ])
    expect(lockProblems(lockWith({ integrity: 'sha1-a' }))).toEqual([
      '@d/e has no integrity by SHA-512 in the lock file',
    ])
    expect(lockProblems(lockWith({ resolved: 'https://registry.example/e.tgz' }))).toEqual([
      '@d/e names an address in the lock file',
    ])
  })

  test('a licence outside of the list is named, for what users install and for what they may', () => {
    expect(licenceProblems(LOCK, decided)).toEqual([])
    expect(licenceProblems(lockWith({ license: 'AGPL-3.0' }), decided)).toEqual([
      '@d/e has the licence AGPL-3.0, which is not in the list',
    ])
    expect(licenceProblems(LOCK, { ...decided, peerDependencies: { '@b/c': '*' } })).toEqual([
      '@b/c has the licence GPL-3.0, which is not in the list',
    ])
  })

  test('a new install script, and a decision about one that is gone, are named', () => {
    const lock = lockWith({ hasInstallScript: true })
    expect(installScriptProblems(lock, { ...decided, allowScripts: { '@d/e': false } })).toEqual([])
    expect(installScriptProblems(lock, { ...decided, allowScripts: { a: true } })).toEqual([
      '@d/e has an install script, and allowScripts of package.json lacks it',
      'allowScripts of package.json has a, which has no install script',
    ])
  })

  test('an SBOM without a package, or without its checksum, is incomplete', () => {
    const hashes = [{ alg: 'SHA-512' }]
    expect(sbomProblems({ components: [{ 'bom-ref': 'a@1.0.0', hashes }] }, LOCK)).toEqual([])
    const missing = ['the SBOM lacks a@1.0.0 with its checksum']
    expect(sbomProblems({ components: [{ 'bom-ref': 'a@1.0.0' }] }, LOCK)).toEqual(missing)
    expect(sbomProblems({}, LOCK)).toEqual(missing)
  })
})

test('a file that nobody expects in the package, and one that is missing, are named', () => {
  const paths = [
    'package.json',
    'LICENSE',
    'README.md',
    'SECURITY.md',
    'CHANGELOG.md',
    'dist/cli.js',
    'src/api/README.md',
    'feed.schema.json',
    'src/reference/options.md',
  ]
  expect(packedProblems([...paths, 'dist/index.d.cts', 'src/api/feedmill.md'])).toEqual([])
  for (const stranger of [
    'test/fuzz/inflate.ts',
    '.npmrc',
    'dist/cli.js.map',
    'src/index.ts',
    'dist/x/y.js',
    'CONTRIBUTING.md',
    'src/README.md',
    'test/README.md',
    'bench/README.md',
  ])
    expect(packedProblems([...paths, stranger])).toEqual([
      `the package has ${stranger}, which no pattern expects`,
    ])
  expect(packedProblems(paths.slice(1))).toEqual(['the package lacks package.json'])
})

test('two builds differ by a file that one of them lacks, and by one with other bytes', () => {
  const one = new Map(Object.entries({ a: '1', b: '2', c: '3' }))
  expect(differences(one, new Map(one))).toEqual([])
  expect(differences(one, new Map(Object.entries({ a: '1', b: '4', d: '3' })))).toEqual(
    ['b', 'c', 'd'].map(path => `${path} differs between two builds of the same commit`),
  )
})

describe('the workflows', () => {
  const HASH = '08c6903cd8c0fde910a37f88322edcfb5dd907a8'

  test('an action by hash is pinned, one by an exact tag is told, and anything else is not pinned', () => {
    const uses = [
      `a/b@${HASH} # v5.0.0`,
      'a/c/init@v4.30.8',
      'a/d@v4',
      'a/e@main',
      'a/f',
      './.github/workflows/g.yml',
    ]
    expect(actionsOf(uses.map(name => `      - uses: ${name}\n`).join(''))).toEqual({
      byTag: ['a/c/init@v4.30.8'],
      unpinned: ['a/d@v4', 'a/e@main', 'a/f'],
    })
  })

  test.each(WORKFLOWS)(
    '%s pins its actions, begins without a permission, and ends by itself',
    name => {
      expect(actionsOf(textOf(join('.github/workflows', name))).unpinned).toEqual([])
      const { permissions, jobs } = workflow(name)
      expect(permissions).toEqual({})
      for (const job of Object.values<Record<string, unknown>>(jobs)) {
        expect(job.permissions).toBeDefined()
        expect(job['timeout-minutes'] ?? job.uses).toBeDefined()
      }
    },
  )

  test('only the job that a person approves can publish, and it runs nothing of the repository', () => {
    const { jobs } = workflow('release.yml')
    const may = Object.keys(jobs).filter(name => 'id-token' in jobs[name].permissions)
    expect(may).toEqual(['publish'])
    expect(jobs.publish).toMatchObject({ environment: 'release', needs: ['test', 'build'] })
    expect(jobs.publish.permissions).toEqual({ 'id-token': 'write' })
    expect(jobs.publish.steps.some(({ uses = '' }) => /checkout/.test(uses))).toBe(false)
  })
})

test('package.json alone has the address of the project: every other place repeats it', () => {
  const { repository, homepage, bugs } = manifest as unknown as Record<
    string,
    { readonly url: string }
  >
  const [, home] = /^git\+(https:.*)\.git$/.exec(repository!.url) ?? []
  expect([homepage, bugs!.url]).toEqual([`${home}#readme`, `${home}/issues`])
  const addresses = [
    'README.md',
    'SECURITY.md',
    'CONTRIBUTING.md',
    'CODE_OF_CONDUCT.md',
    'CHANGELOG.md',
  ]
    .concat(
      readdirSync(join(ROOT, '.github/ISSUE_TEMPLATE')).map(
        name => `.github/ISSUE_TEMPLATE/${name}`,
      ),
    )
    .concat(readdirSync(join(ROOT, 'src/guide')).map(name => `src/guide/${name}`))
    .flatMap(path => [...textOf(path).matchAll(/https:\/\/git(?:hub|lab)\.com\/[\w./-]+/g)])
    .map(([address]) => address)
  expect(addresses.length).toBeGreaterThan(0)
  expect(
    addresses.filter(address => !/^(?:\/|\.git$)/.test(address.split(home!)[1] ?? '')),
  ).toEqual([])
})

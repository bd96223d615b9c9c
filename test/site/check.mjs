// Checks the built site (.tmp/site) in a headless Chromium: it visits every page and fails for an
// error on the console, a request that fails, a link or anchor that leads nowhere, a page that is wider
// than its window, and a search that does not find a word. `--screenshots FOLDER` takes pictures of
// some pages: wide, narrow and dark. CHROMIUM names another browser than /usr/bin/chromium.

import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright-core'
import { serveFolder } from './serve-folder.mjs'

const SITE = join(import.meta.dirname, '../../.tmp/site')
const BROWSER = process.env.CHROMIUM ?? '/usr/bin/chromium'
const WIDE = { width: 1440, height: 900 }
const NARROW = { width: 390, height: 844 }
const LIMIT_MS = 30_000

/** A word of the reference and the page that the search has to find for it. */
const SEARCHED = { word: 'TSV_ROW_SHORT', page: 'reference/errors' }

const PICTURES = ['index', 'guide/rows', 'guide/troubleshooting', 'reference/options', 'reference/errors', 'api/feedmill', 'map']

const { values: given } = parseArgs({ options: { screenshots: { type: 'string' } } })

if (!existsSync(join(SITE, 'index.html'))) fail(['the site is not built: run `npm run site` first'])
if (!existsSync(BROWSER)) {
  const leftOut = `LEFT OUT: the check of the site, because ${BROWSER} is not on this machine.`
  if (process.env.FEEDMILL_REQUIRE_TOOLS) fail([leftOut])
  console.error(leftOut)
  process.exit(0)
}

const problems = []
const paths = readdirSync(SITE, { recursive: true, encoding: 'utf8' })
  .filter(path => path.endsWith('.html') && path !== '404.html')
  .map(path => path.slice(0, -'.html'.length))
  .sort()
const { origin, close } = await serveFolder(SITE)
const browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox'] })
try {
  const page = await watchedPage(WIDE)
  const seen = new Map()
  for (const path of paths) {
    seen.set(addressOf(path), await visit(page, path))
    await checkWidth(page, path)
  }
  for (const [address, { links }] of seen) for (const link of links) checkLink(address, link, seen)
  await checkSearch(page)
  if (given.screenshots !== undefined) await takePictures(given.screenshots)
} finally {
  await browser.close()
  await close()
}
if (problems.length > 0) fail(problems)
console.log(`the site is right: ${paths.length} pages`)

function fail(lines) {
  for (const line of new Set(lines)) console.error(line)
  process.exit(1)
}

/** The address of a page without its origin; that of an index is its folder. */
function addressOf(path) {
  return `/${path.replace(/(^|\/)index$/, '$1')}`
}

/** A page of the browser whose errors become problems. */
async function watchedPage(viewport, colorScheme = 'light') {
  const context = await browser.newContext({ viewport, colorScheme })
  const page = await context.newPage()
  page.setDefaultTimeout(LIMIT_MS)
  const report = what => problems.push(`${new URL(page.url()).pathname}: ${what}`)
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type())) report(`the console says: ${message.text()}`)
  })
  page.on('pageerror', error => report(`a script fails: ${error.message}`))
  page.on('requestfailed', request => {
    // The browser drops what it prefetched for links when the next page is opened.
    const reason = request.failure()?.errorText
    if (reason !== 'net::ERR_ABORTED') report(`${request.url()} fails: ${reason}`)
  })
  page.on('response', response => {
    if (response.status() >= 400) report(`${response.url()} is ${response.status()}`)
  })
  return page
}

/** The links of a page, and the identifiers that a link may lead to. */
async function visit(page, path) {
  await page.goto(`${origin}/${path}.html`, { waitUntil: 'load' })
  await page.waitForSelector('.VPDoc h1')
  return page.evaluate(() => ({
    links: [...document.querySelectorAll('a[href]')].map(({ href }) => href),
    ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
  }))
}

function checkLink(from, link, seen) {
  const { origin: linked, pathname, hash } = new URL(link)
  if (linked !== origin) return
  const address = pathname.replace(/(?:index)?(?:\.html)?$/, '')
  const target = seen.get(address)
  const id = decodeURIComponent(hash.slice(1))
  if (target === undefined) {
    const isFile = pathname.startsWith('/files/') && existsSync(join(SITE, decodeURI(pathname)))
    if (!isFile) problems.push(`${from}: the link to ${pathname} leads nowhere`)
  } else if (id !== '' && !target.ids.includes(id))
    problems.push(`${from}: the link to ${pathname}${hash} leads to no heading`)
}

/** A phone shows each page without scrolling sideways; a wide table or line scrolls in itself. */
async function checkWidth(page, path) {
  await page.setViewportSize(NARROW)
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  if (width > NARROW.width) problems.push(`${addressOf(path)}: ${width} pixels wide on a phone`)
  await page.setViewportSize(WIDE)
}

async function checkSearch(page) {
  await page.goto(`${origin}/`, { waitUntil: 'load' })
  await page.click('#local-search button')
  await page.fill('.VPLocalSearchBox input', SEARCHED.word)
  await page
    .waitForSelector(`.VPLocalSearchBox a.result[href*="${SEARCHED.page}"]`)
    .catch(() => problems.push(`the search for ${SEARCHED.word} does not find ${SEARCHED.page}`))
}

async function takePictures(folder) {
  mkdirSync(folder, { recursive: true })
  const looks = [
    ['wide', WIDE, 'light'],
    ['narrow', NARROW, 'light'],
    ['dark', WIDE, 'dark'],
  ]
  for (const [look, viewport, scheme] of looks) {
    const page = await watchedPage(viewport, scheme)
    for (const path of PICTURES) {
      await visit(page, path)
      await page.screenshot({ path: join(folder, `${path.replace('/', '-')}-${look}.png`) })
    }
  }
}

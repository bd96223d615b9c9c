import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { expect, test, vi } from 'vitest'
import { compareReports, type InspectReport, inspect, reportHtml } from '../../../src/inspect'

const file = (rows: string) => inspect([Buffer.from(rows)])

test('a page needs nothing but itself', async () => {
  const html = await reportHtml(await file('itemId\ttitle\nv1|1|0\ta title\n'))
  expect(html).toMatch(/^<!doctype html>/)
  expect(html.match(/<svg/g)).toHaveLength(2)
  // The names of the SVG format are addresses that nobody loads.
  const addresses = html.replaceAll(/xmlns(:\w+)?="[^"]*"/g, '')
  expect(addresses).not.toMatch(/<script|<link|<img|<iframe|\b(src|href)=|url\(|@import|https?:/)
})

test('everything of the file is escaped: names, cells, bad rows, positions', async () => {
  const evil = `<img src=x onerror="alert('1')">&\u0007`
  const rows = `itemId\ttitle\tpriceValue\t${evil}\n${evil}\t${evil}\t${evil}\t${evil}\n${evil}\n`
  const report = await inspect([Buffer.from(rows)], { name: evil })
  const html = await reportHtml(report, compareReports(report, await file('itemId\ttitle\na\tb\n')))
  expect(html).not.toContain('<img')
  expect(html).not.toContain('\u0007')
  expect(html).toContain('&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;')
  // The plots write the same name in SVG.
  expect(html.split('<svg').slice(1).join('')).toContain('&lt;img')
})

/** The value with each text in it, of any depth, replaced. */
function spoiled(value: unknown, text: string): unknown {
  return JSON.parse(JSON.stringify(value), (_, inner) => (typeof inner === 'string' ? text : inner))
}

test('fault 115: no field of a stored report and of a drift becomes markup', async () => {
  const evil = '"><script>alert(1)</script>\u001b[2J\u202e'
  const text = gzipSync('itemId\titemId\ttitle\tpriceValue\nv1|1|0\ta\tb\t1,5\nshort\n', {
    level: 1,
  })
  const whole = await inspect([text])
  const cut = await inspect([text.subarray(0, -8)])
  const report = {
    ...(spoiled({ ...whole, failure: cut.failure }, evil) as InspectReport),
    version: 1 as const,
  }
  const gzip = { ...report.gzip!, name: evil, modifiedAt: evil }
  const repeated = [{ name: evil, count: evil as unknown as number, required: true }]
  const stored = { ...report, gzip, header: { ...report.header!, repeated } }
  const drift = [{ rule: evil, severity: evil, column: evil, before: evil, after: evil }]
  const html = await reportHtml(stored, drift as never)
  expect(html.split('alert(1)').length).toBeGreaterThan(30)
  for (const active of ['<script', '"">', '\u001b', '\u202e']) expect(html).not.toContain(active)
})

test('fault 115: the page has a policy that allows its own style and nothing else', async () => {
  const html = await reportHtml(await file('itemId\ttitle\nv1|1|0\ta title\n'))
  const [, policy] = /Content-Security-Policy" content="([^"]*)"/.exec(html)!
  const [, style] = /<style>(.*?)<\/style>/s.exec(html)!
  const hash = createHash('sha256').update(style!).digest('base64')
  expect(policy!.replaceAll('&#39;', "'").split('; ')).toEqual([
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ])
  // What the policy forbids is not there: styles in attributes, and a second element.
  expect(html.replace(`<style>${style}`, '')).not.toMatch(/<style|\sstyle=/)
  expect(html).toMatch(/<text[^>]* font-size="11px" font-family="[^"]+"/)
})

test('the page has what the report has', async () => {
  const report = await file('itemId\tpriceValue\tnew\nv1|1|0\t1,5\tx\nshort\n')
  const html = await reportHtml(report, [
    { rule: 'rows-lost', severity: 'breaks', column: null, before: '9', after: '1' },
  ])
  for (const part of [
    'rows-lost',
    'TSV_ROW_SHORT',
    'not a decimal number',
    '1,5',
    'Frequent values',
  ])
    expect(html).toContain(part)
  expect(await reportHtml(report)).not.toContain('Drift')
})

test('a file that cannot be read, and one without columns, have a page', async () => {
  const html = await reportHtml(await inspect([Buffer.from('')]))
  expect(html).toContain('TSV_EMPTY')
  expect(html).not.toContain('<svg')
})

test('a value that is no report is refused', async () => {
  await expect(reportHtml({} as never)).rejects.toMatchObject({
    code: 'OPTION_INVALID',
    context: { option: 'report' },
  })
})

test('without echarts the error says how to install it', async () => {
  vi.doMock('echarts', () => {
    throw new RangeError('Cannot find package')
  })
  try {
    await expect(reportHtml(await file('a\n1\n'))).rejects.toMatchObject({
      code: 'DEPENDENCY_MISSING',
      message: expect.stringContaining('npm install echarts@'),
      context: { package: 'echarts' },
    })
  } finally {
    vi.doUnmock('echarts')
  }
})

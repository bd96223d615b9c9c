// The workflow that others copy: the guide shows the file that this repository uses.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8')
const workflow = read('.github/workflows/bench.yml')

test('the guide has the text of the workflow', () => {
  expect(read('src/guide/benchmarks.md')).toContain(`\`\`\`yaml\n${workflow}\`\`\``)
})

test('the workflow fetches the history, compares with --base, and writes the summary', () => {
  const { on, jobs } = parse(workflow)
  expect(Object.keys(on)).toContain('pull_request')
  const { steps } = jobs.compare
  expect(steps[0].with).toMatchObject({ 'fetch-depth': 0 })
  expect(steps.at(-1).run).toMatch(
    / --base .* --build .* --format markdown >> "\$GITHUB_STEP_SUMMARY"$/,
  )
})

test.each(['release-commit', 'base-commit'])('%s is a full hash', name => {
  expect(read(`bench/${name}`)).toMatch(/^[0-9a-f]{40}\n$/)
})

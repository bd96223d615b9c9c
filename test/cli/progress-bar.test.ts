import { expect, test } from 'vitest'
import { progressBar } from '../../src/cli/progress-bar'

function terminal(isTTY: boolean, columns = 60) {
  const written: string[] = []
  let ms = 0
  const output = { isTTY, columns, write: (text: string) => written.push(text) > 0 }
  const bar = (total: number, isWanted = true) => progressBar(total, isWanted, output, () => ms)
  return { written, bar, wait: (by: number) => void (ms += by) }
}

test('a terminal has one line that is rewritten, fits its width and stays at the end', () => {
  const { written, bar, wait } = terminal(true)
  wait(1_000)
  const progress = bar(200)
  expect(progress.isShown).toBe(true)
  progress.update(50, 'round 1')
  expect(written).toEqual([`\r\x1b[K${'█'.repeat(2)}${'░'.repeat(7)} 25% | round 1`])
  progress.update(60, 'too soon to be drawn')
  expect(written).toHaveLength(1)
  wait(100)
  progress.update(100, 'x'.repeat(100), 400)
  expect(written[1]).toContain(' 25% | xxx')
  expect(written[1]!.slice(4)).toHaveLength(59)
  expect(written[1]).toMatch(/x…$/)
  progress.update(400, 'all')
  progress.stop()
  expect(written.slice(2)).toEqual([`\r\x1b[K${'█'.repeat(9)} 100% | all`, '\n'])
  progress.stop()
  expect(written).toHaveLength(4)
})

test('elsewhere the bar prints a line every few seconds, and none for a short run', () => {
  const { written, bar, wait } = terminal(false)
  const progress = bar(10)
  for (let done = 0; done <= 10; done++) {
    progress.update(done, `file ${done}`)
    wait(1_000)
  }
  progress.stop()
  expect([progress.isShown, written]).toEqual([false, ['50% | file 5\n', '100% | file 10\n']])
})

test.each([
  [true, ['\r\x1b[Ktrouble\n', '\r\x1b[Ka']],
  [false, ['trouble\n']],
])('errors are printed above the bar (terminal: %s)', (isTTY, lines) => {
  const { written, bar, wait } = terminal(isTTY)
  wait(1_000)
  const progress = bar(0)
  progress.update(0, 'a')
  written.length = 0
  progress.above('trouble')
  expect(written).toEqual(lines)
})

test('a bar that is switched off is not shown, on a terminal either', () => {
  const { written, bar, wait } = terminal(true)
  const progress = bar(10, false)
  wait(60_000)
  progress.update(5, 'a')
  progress.stop()
  expect([progress.isShown, written]).toEqual([false, []])
})

test('fault 115: no text of a bar moves the cursor; without a total it is the text alone', () => {
  const { written, bar, wait } = terminal(true)
  wait(1_000)
  const progress = bar(0)
  progress.update(7, '7 items\u001b[2J')
  progress.above('a\r\nb')
  expect(written).toEqual(['\r\x1b[K7 items�[2J', '\r\x1b[Ka⏎b\n', '\r\x1b[K7 items�[2J'])
})

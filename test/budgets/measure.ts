import { startExchange } from '../support/exchange.ts'
import { customerPages } from './customer-pages.ts'
import { lookAt, missesOf, openGlass } from './look.ts'

/** `npm run lighthouse`: every page that matters, or those whose name has one of the words; a line each. */

const words = process.argv.slice(2)
const exchange = await startExchange({ RATE_LIMITS: 'off' })
const glass = await openGlass()
let missed = 0
for (const [name, bring] of Object.entries(customerPages)) {
  if (words.length > 0 && words.every((word) => !name.includes(word))) continue
  const began = performance.now()
  const seen = await lookAt(glass, await bring(exchange))
  const misses = missesOf(seen)
  const { performance: speed, accessibility, practice, largestPaintMs, shift } = seen
  const seconds = ((performance.now() - began) / 1_000).toFixed(1)
  console.log(
    `${name.padEnd(16)} performance ${speed}, accessibility ${accessibility}, best practices ${practice}, ` +
      `largest paint ${largestPaintMs} ms, shift ${shift} (${seconds} s)`,
  )
  for (const miss of misses) console.log(`  ${miss}`)
  if (misses.length > 0) missed++
}
await Promise.all([glass.browser.close(), exchange.stop()])
console.log(missed === 0 ? 'Every page keeps its budget.' : `${missed} pages miss their budget.`)
process.exitCode = missed === 0 ? 0 : 1

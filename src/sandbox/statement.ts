import { after } from '../platform/lib/clock.ts'
import type { StatementLine } from '../rails/statement.ts'
import type { World } from './world.ts'

/** The real time of a business time. The sandbox's world keeps real time. */
export const realTime = ({ clock }: Pick<World, 'clock'>, at: Date): Date => after(at, -clock.offsetMs())

/** A statement of bookings with real times, in business time. */
export const statementOf = ({ clock }: Pick<World, 'clock'>, lines: StatementLine[]): StatementLine[] =>
  lines.map((line) => ({ ...line, at: after(line.at, clock.offsetMs()) }))

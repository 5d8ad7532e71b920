import type { SourceQuote } from '../agree.ts'

/** Why a source says nothing about a pair that can be used. */
export type Unreadable = 'malformed' | 'frozen' | 'thin'

/** What a source says about one pair. */
export type Reading = Omit<SourceQuote, 'source' | 'maxAgeMs'> | { unreadable: Unreadable }

/**
 * Where a source reports. `isWhole` says that these are all its pairs: what it had before and leaves out is gone. A pair that is
 * not of the catalog is passed over.
 */
export type Report = (readings: ReadonlyMap<string, Reading>, isWhole: boolean) => void

/** Something that is asked for prices as long as it is started. */
export type PriceSource = {
  readonly name: string
  /** Its own maximum age of prices, if it has one. */
  readonly maxAgeMs: number | undefined
  start(report: Report): { stop(): void }
}

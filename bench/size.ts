/** Whether only to see that every benchmark starts and does a small round (`--smoke`): its numbers mean nothing. */
export const isSmoke = process.argv.includes('--smoke')

/** How much of something: as measured, or as little as shows that it works. */
export const size = (whole: number, smoke: number): number => (isSmoke ? smoke : whole)

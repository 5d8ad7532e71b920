/** Whether only to see that every benchmark starts and does a small round (`--smoke`): its numbers mean nothing. */
export const isSmoke = process.argv.includes('--smoke')

/** Whether to measure for a change that lands: the lines of a request's path alone, with shorter rounds. */
export const isQuick = process.argv.includes('quick')

const quickShare = 3

/** How much of something: as measured, a part of that for a quick run, or as little as shows that it works. */
export const size = (whole: number, smoke: number): number =>
  isSmoke ? smoke : isQuick ? Math.max(smoke, Math.ceil(whole / quickShare)) : whole

/** What a skipped test of the suite says: the rail has nothing that it could ask. The only skip that a gate lets through. */
export const noCounterpart = 'The rail has no counterpart.'

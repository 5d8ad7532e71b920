/** Orders that are played where no money is real, from their creation to their end. */
export type TestScenarios = {
  list: readonly { name: string; title: string }[]
  /** Plays one for a partner and gives the order's id when it is over. Refuses an unknown name. */
  play(partnerId: bigint, name: string): Promise<string>
}

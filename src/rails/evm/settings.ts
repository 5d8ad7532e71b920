/** What the EVM's rails read of the operator's settings. Times are in milliseconds. */
export type EvmSettings = {
  /** Nodes by network code. */
  rpcUrls: Readonly<Record<string, string>>
  keystoreFile: string | undefined
  keystorePasswordFile: string | undefined
  keystorePassword: string | undefined
  /** The most that a unit of gas may cost, in gwei. */
  maxFeeGwei: number
  bumpAfterMs: number
  scanEveryMs: number
}

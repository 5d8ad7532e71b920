import { type Anvil } from './anvil.ts'
import { tokenCode } from './token.ts'

const implementation = '0x00000000000000000000000000000000000c0de1'

/** Who gets what the token keeps. */
const collector = '0x00000000000000000000000000000000000c0113'

/**
 * Makes a token of the tests keep a hundredth of each transfer, as USDT's contract can: with two logs, like there. `onTop`: the recipient
 * gets all of it, and the sender loses more. What anybody has of it stays.
 */
export async function takeFees(
  { ask }: Pick<Anvil, 'ask'>,
  contract: string,
  { onTop }: { onTop: boolean },
): Promise<void> {
  await ask('anvil_setCode', implementation, tokenCode)
  await ask('anvil_setCode', contract, codeOf(onTop))
}

/** The token behind a proxy: a call `transfer(to, value)` becomes one to the recipient and one to the collector. */
function codeOf(onTop: boolean): string {
  // Memory begins with the call. DELEGATECALL(gas, implementation, 0, its size, 0, 0), whose answer is left on the stack.
  const pass = `6000600036600073${implementation.slice(2)}5af4`
  const begin = '36600060003760003560e01c63a9059cbb14'
  const others = `${pass}3d600060003e3d6000f3`
  const transferAt = begin.length / 2 + 3 + others.length / 2
  const whole = onTop ? '81' : '808203'
  const orFail = (at: number) => `1560${byte(at)}57`
  const transfer = (fail: number) =>
    `5b` +
    // value, and a hundredth of it
    `60243560648104` +
    `${whole}602452${pass}${orFail(fail)}` +
    `73${collector.slice(2)}600452602452${pass}${orFail(fail)}00`
  const failAt = transferAt + transfer(0).length / 2
  return `0x${begin}60${byte(transferAt)}57${others}${transfer(failAt)}5b60006000fd`
}

const byte = (value: number): string => value.toString(16).padStart(2, '0')

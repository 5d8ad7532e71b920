import { operatorKeyJson } from '../../exchange/actions/operator-keys.ts'
import { listKeys } from '../../exchange/operators/operator-keys.ts'
import type { Answer, Invocation } from './command.ts'
import { layOut } from './layout.ts'

export const list = (input: Invocation): Promise<Answer> =>
  input.exchange(async (ctx) => {
    const json = (await listKeys(ctx)).map(operatorKeyJson)
    return { json, text: json.length === 0 ? 'No operator has a key.' : layOut(json) }
  })

import type { Language } from '../../platform/language/language.ts'
import type { Problem } from '../../platform/lib/refusal.ts'

/**
 * The rules' English sentences by meaning. The first match is used in other languages, with the names that the sentence has;
 * most say a little less. English shows the rule's own sentence.
 */
const meanings: readonly (readonly [sentence: RegExp, key: string])[] = [
  [/test network/, 'address.testNetwork'],
  [/secret key/, 'address.secret'],
  [/^That's an? (?<network>.+) address\. (?:You're buying|We're refunding) (?<coin>.+)\./, 'address.onNetwork'],
  [/^That's a Lightning invoice.*Copy your (?<coin>.+) address/, 'address.lightning'],
  [/^That's an extended public key.*Copy your (?<coin>.+) address/, 'address.extendedKey'],
  [/^That's an? (?:name|email address).*Copy your (?<coin>.+) address/, 'address.name'],
  [/another network|any network/, 'address.otherNetwork'],
  [/for another coin/, 'address.otherCoin'],
  [/is lost|is the contract/, 'address.lost'],
  [/belongs to the exchange/, 'ours'],
  [/(can ?not|can) (be paid|pay) to|stake address|not the address of a wallet/, 'address.unpayable'],
  [/checksum|check every character.*letter case/, 'address.checksum'],
  [/wrong length|too long/, 'address.length'],
  [/IBAN/, 'account.iban'],
  [/\bBIC\b/, 'account.bic'],
  [/does not reach|reach accounts|do not send money/, 'account.unreached'],
  [/sort code|account number/, 'account.uk'],
  [/CLABE/, 'account.clabe'],
  [/CPF|CNPJ|phone number|e-mail address/, 'account.pix'],
  [/needs a/, 'memo.missing'],
  [/tag in this address|names another|is not a .* of /, 'memo.wrong'],
  [/name/, 'name'],
  [/was set by the site/, 'fixed'],
]

const general: Readonly<Record<string, string>> = {
  INVALID_ADDRESS: 'address.wrong',
  INVALID_ACCOUNT: 'account.wrong',
  METHOD_NOT_AVAILABLE: 'method',
  AMOUNT_OUT_OF_RANGE: 'amount',
}

/** The problem in the reader's language: by its code, else by its English sentence. */
export function spellProblem({ code, message }: Pick<Problem, 'code' | 'message'>, { tag, find }: Language): string {
  const own = find(`problem.${code}`)
  if (own !== undefined || tag === 'en') return own ?? message
  const isGeneral = general[code] === 'method' || general[code] === 'amount'
  const meaning = isGeneral ? undefined : meaningOf(message)
  return find(`problem.${meaning?.key ?? general[code] ?? 'other'}`, meaning?.values) ?? message
}

/** The key of a sentence's meaning, with the names in it. */
function meaningOf(message: string): { key: string; values: Record<string, string> } | undefined {
  for (const [sentence, key] of meanings) {
    const match = sentence.exec(message)
    if (match) return { key, values: { ...match.groups } }
  }
  return undefined
}

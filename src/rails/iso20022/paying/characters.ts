/**
 * The characters that every bank of SEPA takes (EPC217-08, "SEPA Requirements for an Extended Character Set"): Latin letters,
 * digits and / - ? : ( ) . , ' + and space.
 */
const plain = /^[A-Za-z0-9/\-?:().,'+ ]$/

/** Characters that are not a plain one with a mark, Greek and Cyrillic ones by the conversion table of EPC217-08. */
const conversions: Readonly<Record<string, string>> = Object.fromEntries(
  (
    'ß ss|æ ae|Æ AE|œ oe|Œ OE|ø o|Ø O|đ d|Đ D|ð d|Ð D|þ th|Þ TH|ł l|Ł L|ħ h|Ħ H|ı i|ĸ q|ŋ n|Ŋ N|ŧ t|Ŧ T|ƒ f|' +
    'α a|β v|γ g|δ d|ε e|ζ z|η i|θ th|ι i|κ k|λ l|μ m|ν n|ξ x|ο o|π p|ρ r|σ s|ς s|τ t|υ y|φ f|χ ch|ψ ps|ω o|' +
    'Α A|Β V|Γ G|Δ D|Ε E|Ζ Z|Η I|Θ TH|Ι I|Κ K|Λ L|Μ M|Ν N|Ξ X|Ο O|Π P|Ρ R|Σ S|Τ T|Υ Y|Φ F|Χ CH|Ψ PS|Ω O|' +
    'а a|б b|в v|г g|д d|е e|ж zh|з z|и i|й y|к k|л l|м m|н n|о o|п p|р r|с s|т t|у u|ф f|х h|ц ts|ч ch|ш sh|щ sht|ъ a|ь y|ю yu|я ya|ы y|э e|ё e|і i|ї i|є e|' +
    'А A|Б B|В V|Г G|Д D|Е E|Ж ZH|З Z|И I|Й Y|К K|Л L|М M|Н N|О O|П P|Р R|С S|Т T|У U|Ф F|Х H|Ц TS|Ч CH|Ш SH|Щ SHT|Ъ A|Ь Y|Ю YU|Я YA|Ы Y|Э E|Ё E|І I|Ї I|Є E|' +
    "& +|_ -|~ -|– -|— -|‘ '|’ '|` '|´ '|“ '|” '|\" '|; ,|! .|# .|$ .|% .|* .|= .|@ .|€ E|[ (|] )|{ (|} )|\\ /|| /|< (|> )|^ ."
  )
    .split('|')
    .flatMap((pair) => (/^\S+ \S+$/.test(pair) ? [pair.split(' ') as [string, string]] : [])),
)

/**
 * A text in the characters that every bank takes, at most `longest` of them; what has no counterpart becomes a full stop. No
 * slash at either end and no two in a row: banks refuse those.
 */
export function toPlainCharacters(text: string, longest: number): string {
  const written = Array.from(text.normalize('NFC'), plainFor).join('')
  return written
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\/{2,}/g, '/')
    .trim()
    .replace(/^\/+/, '')
    .slice(0, longest)
    .replace(/[/ ]+$/, '')
}

function plainFor(character: string): string {
  if (plain.test(character)) return character
  if (/\s/.test(character)) return ' '
  const known = conversions[character]
  if (known !== undefined) return known
  const bare = character.normalize('NFKD').replaceAll(/\p{M}/gu, '')
  if (bare !== character && bare !== '') return Array.from(bare, plainFor).join('')
  return '.'
}

/**
 * How alike two names are, in thousandths: those of a customer, as verified, and of a payer, as a bank wrote it. Banks write names in
 * capitals, without accents, family name first, with titles, cut off after 35 or 70 characters, and both holders of a joint account.
 */
export function nameLikeness(customer: string, payer: string): number {
  const own = tokensOf(customer)
  const others = tokensOf(payer)
  if (own.length === 0 || others.length === 0) return 0
  // A company is never a person's other name, even one that is called after its owner.
  if (others.some((token) => companyForms.has(token)) && !own.some((token) => companyForms.has(token))) {
    return Math.min(companyAtMost, pairedLikeness(own, others))
  }
  return pairedLikeness(own, others)
}

/**
 * The same of an institution, as its weakest part: `Alpha Trading GmbH` is neither `Omega Trading GmbH`, nor `Alpha Trading Ltd`, nor
 * `Alpha Trading Europe GmbH`. A legal form that only one of the two names says nothing.
 */
export function institutionLikeness(institution: string, payer: string): number {
  const [own, others] = [institution, payer].map((name) => {
    const tokens = tokensOf(name).map((token) => (token === 'limited' ? 'ltd' : token))
    const parts = tokens.filter((token) => !companyForms.has(token))
    return {
      parts,
      form: tokens
        .filter((token) => companyForms.has(token))
        .toSorted()
        .join(' '),
    }
  })
  if (!own || !others || own.parts.length === 0 || others.parts.length === 0) return 0
  const weakest = Math.min(weakestOf(own.parts, others.parts), weakestOf(others.parts, own.parts))
  const isOtherForm = own.form !== '' && others.form !== '' && own.form !== others.form
  return isOtherForm || weakest < spelledAlike ? Math.min(weakest, thinAtMost) : weakest
}

const weakestOf = (parts: readonly string[], others: readonly string[]): number =>
  Math.min(...parts.map((part) => Math.max(...others.map((other) => partLikeness(part, other)))))

/** The most that a company's name is like a person's. */
const companyAtMost = 400

/** Legal forms of companies and clubs, as the last parts of their names spell them. */
const companyForms: ReadonlySet<string> = new Set(
  (
    'ab ag aps as asa bv bvba co corp cv doo ek ev gbr gmbh gesmbh inc kft kg kgaa limited llc llp lp ltd mbh nv og ohg oy oyj plc ' +
    'pty sa sarl sas sasu sca sci se sia sl slu snc sp spa spk spolka srl sro stiftung uab ug unipessoal zoo'
  ).split(' '),
)

/** Titles, and parts that join the holders of one account. */
const ignored: ReadonlySet<string> = new Set(
  'and and/or dipl dr e en et frau herr hr i ing mag med miss mlle mme mr mrs ms mag o oder ou phd prof sr sra und y'.split(
    ' ',
  ),
)

/** Characters that are written as two where a bank knows no accents. */
const spelledOut: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ß: 'ss',
  æ: 'ae',
  ø: 'oe',
  å: 'aa',
  œ: 'oe',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  đ: 'd',
  ı: 'i',
}

/** Cyrillic and Greek as passports spell them (ICAO 9303). */
const cyrillic =
  'а a б b в v г g д d е e ж zh з z и i й i к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts ч ch ш sh щ shch ъ ie ы y ь _ э e ю iu я ia ё e є ie і i ї i ґ g ў u ј j љ lj њ nj ћ c ђ dj џ dz'
const greek = 'α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t υ y φ f χ ch ψ ps ω o'
const romanized: ReadonlyMap<string, string> = new Map(
  [...`${cyrillic} ${greek}`.matchAll(/(\S+) (\S+)/g)].map(([, character = '', latin = '']) => [
    character,
    latin.replace('_', ''),
  ]),
)

/** The parts of a name, without accents, titles and punctuation: `Dr. José Müller-Weiß` is `jose mueller weiss`. */
function tokensOf(name: string): string[] {
  const lower = name.normalize('NFC').toLowerCase()
  const spelled = [...lower].map((character) => spelledOut[character] ?? character).join('')
  const latin = [...spelled.normalize('NFD').replaceAll(/\p{M}/gu, '')].map(
    (character) => romanized.get(character) ?? character,
  )
  return latin
    .join('')
    .replaceAll(/['’`´.]/g, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((token) => token !== '' && !ignored.has(token))
}

/**
 * Each part of the customer's name with the part of the payer's that is most like it, each used once; longer parts weigh more, and first
 * names that one of the two leaves out weigh little. What is in the payer's name alone counts against it, unless it may be a second holder.
 */
function pairedLikeness(own: readonly string[], others: readonly string[]): number {
  const free = [...others]
  const last = others.at(-1)
  const isCut = others.join(' ').length >= cutFrom
  let [sum, weight, paired] = [0, 0, 0]
  for (const token of own.toSorted((one, other) => other.length - one.length)) {
    const likes = free.map((other) =>
      isCut && other === last ? cutLikeness(token, other) : partLikeness(token, other),
    )
    const best = Math.max(0, ...likes)
    if (best >= pairedFrom) {
      free.splice(likes.indexOf(best), 1)
      paired += 1
      sum += best * token.length
      weight += token.length
    } else weight += paired >= 2 || own.length > 2 ? token.length / 2 : token.length
  }
  if (paired === 0) return 0
  const share = sum / weight
  // One name alone, of two, is that of many people.
  const isThin = paired < Math.min(2, own.length)
  return Math.round(isThin ? Math.min(share, thinAtMost) : share)
}

/** From this likeness on two parts are one part. */
const pairedFrom = 870
const thinAtMost = 600

/** From so many characters on a bank may have cut a name off. */
const cutFrom = 24

/** The beginning of a part stands for it where a bank cut the name off. */
const cutLikeness = (part: string, cut: string): number =>
  cut !== part && cut.length >= 3 && part.startsWith(cut) ? 930 : partLikeness(part, cut)

/** An initial stands for a part; else by the characters that they share (Jaro-Winkler). Maria is not Mario, nor Daniel Daniela. */
function partLikeness(one: string, other: string): number {
  if (one === other) return 1_000
  const [short, long] = one.length < other.length ? [one, other] : [other, one]
  if (short.length === 1 && long.startsWith(short)) return 880
  if (withoutUmlaut(one) === withoutUmlaut(other)) return spelledAlike
  if (endsOtherwise(one, other)) return 0
  return short.length < 3 ? 0 : Math.round(jaroWinkler(one, other) * 1_000)
}

/** Of parts that differ in how dots above characters are written, and in nothing else. */
const spelledAlike = 980

const stemOf = (part: string): string => part.replace(/[aeiouys]$/, '')
const endsOtherwise = (one: string, other: string): boolean => one !== other && stemOf(one) === stemOf(other)

/** `mueller` and `muller` are one name: some banks drop the dots, others spell them. */
const withoutUmlaut = (part: string): string => part.replaceAll(/([aou])e/g, '$1')

function jaroWinkler(one: string, other: string): number {
  const reach = Math.max(0, Math.floor(Math.max(one.length, other.length) / 2) - 1)
  const used = new Set<number>()
  const matched = [...one].flatMap((character, at) => {
    for (let place = Math.max(0, at - reach); place <= Math.min(other.length - 1, at + reach); place += 1) {
      if (other[place] === character && !used.has(place)) {
        used.add(place)
        return [character]
      }
    }
    return []
  })
  const common = matched.length
  if (common === 0) return 0
  const theirs = [...used].toSorted((a, b) => a - b).map((place) => other[place])
  const swapped = matched.filter((character, at) => character !== theirs[at]).length / 2
  const jaro = (common / one.length + common / other.length + (common - swapped) / common) / 3
  let prefix = 0
  while (prefix < 4 && prefix < one.length && one[prefix] === other[prefix]) prefix += 1
  return jaro + prefix * 0.1 * (1 - jaro)
}

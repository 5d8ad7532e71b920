import fc from 'fast-check'

const firstSurrogate = 0xd800
const surrogates = 0x800
const codePoints = 0x110000 - surrogates

/**
 * The `unit` of texts of any code points but surrogates: what fast-check calls `binary`. That one makes a table of all million of them
 * for each process, to find out which dangerous names (`__proto__`) it may draw, too: this one computes it.
 */
export const anyCodePoint = fc.nat(codePoints - 1).map(
  (index) => String.fromCodePoint(index < firstSurrogate ? index : index + surrogates),
  (value) => {
    const code = typeof value === 'string' ? (value.codePointAt(0) ?? -1) : -1
    const isSurrogate = code >= firstSurrogate && code < firstSurrogate + surrogates
    if (code < 0 || isSurrogate || String.fromCodePoint(code) !== value) throw new Error('Not one code point.')
    return code < firstSurrogate ? code : code - surrogates
  },
)

/** The field of Ed25519 and the constant of its curve (RFC 8032, section 5.1). */
const p = 2n ** 255n - 19n
const d = 37095705934669439343138083508754565189542113879843219016388785533085940283555n

/**
 * Whether 32 bytes are a point of the curve of Ed25519, as every public key is; half of all values are not. Decoded as
 * RFC 8032 decodes a point (section 5.1.3), and as loosely as the chains do: y is taken modulo p.
 */
export function isOnCurve(bytes: Uint8Array): boolean {
  const y = bytes.reduceRight((sum, byte, at) => (sum << 8n) | BigInt(at === 31 ? byte & 0x7f : byte), 0n) % p
  const square = (y * y) % p
  // x² = (y² - 1) / (dy² + 1). A quotient is a square if the product is: multiplying by a square changes nothing.
  return isSquare(((square - 1n + p) * (d * square + 1n)) % p)
}

/** Euler's criterion. */
const isSquare = (value: bigint): boolean => value === 0n || power(value, (p - 1n) / 2n) === 1n

function power(base: bigint, exponent: bigint): bigint {
  let [result, factor] = [1n, base]
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * factor) % p
    factor = (factor * factor) % p
  }
  return result
}

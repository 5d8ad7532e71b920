import { generateKeyPairSync, sign } from 'node:crypto'

/** A key and a certificate that nobody but itself vouches for, in PEM, good for this name now. */
export type SelfSigned = { key: string; cert: string }

/** Makes one (X.509 version 3, P-256, RFC 5280; the fields are written as DER says, ITU-T X.690). */
export function makeSelfSigned(name: string): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ecdsaWithSha256 = sequence(objectId('2a8648ce3d040302'))
  const commonName = sequence(der(0x31, sequence(objectId('550403'), der(0x0c, Buffer.from(name)))))
  const validity = sequence(time('200101000000Z'), time('491231235959Z'))
  const names = sequence(objectId('551d11'), der(0x04, sequence(der(0x82, Buffer.from(name)))))
  const body = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1)),
    ecdsaWithSha256,
    commonName,
    validity,
    commonName,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(names)),
  )
  const signature = der(0x03, Buffer.of(0), sign('sha256', body, privateKey))
  const lines =
    sequence(body, ecdsaWithSha256, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  }
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.of(tag, ...head), content])
}

const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts)
const objectId = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'))
const time = (text: string): Buffer => der(0x17, Buffer.from(text))

/**
 * CRC16 with the polynomial 0x1021 and nothing before or after it (CCITT as XMODEM uses it): the checksum of Stellar
 * (SEP-23) and of TON (TEP-2), which differ in the order of its two bytes.
 */
export function crc16(bytes: Uint8Array): number {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff
  }
  return crc
}

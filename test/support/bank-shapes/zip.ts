import { crc32, deflateRawSync } from 'node:zlib'

type Member = { name: string; content: Buffer }

/** A ZIP archive, as its format says. */
export function zipOf(name: string, content: Buffer, ...others: Member[]): Buffer {
  const files: Buffer[] = []
  const entries: Buffer[] = []
  let at = 0
  for (const member of [{ name, content }, ...others]) {
    const packed = deflateRawSync(member.content)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(8, 4)
    common.writeUInt32LE(crc32(member.content), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(member.content.length, 18)
    common.writeUInt16LE(Buffer.byteLength(member.name), 22)
    const more = Buffer.alloc(14)
    more.writeUInt32LE(at, 10)
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), common, Buffer.from(member.name), packed])
    files.push(local)
    entries.push(
      Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0000', 'latin1'), common, more, Buffer.from(member.name)]),
    )
    at += local.length
  }
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006', 'latin1')
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(Buffer.concat(entries).length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...files, ...entries, end])
}

import { SaxesParser, type SaxesTagNS } from 'saxes'

import { FileFault } from '../file-fault.ts'

/** An element: its local name, its attributes, its elements and its text without white space around it. */
export type XmlNode = { name: string; attributes: Readonly<Record<string, string>>; children: XmlNode[]; text: string }

/** Receives a document in parts, so that a statement of any length is never in memory as a whole. */
export type DocumentReader = {
  /** The element below `Document`, which says what the message is, and its namespace. */
  message(namespace: string): void
  /** A part of the message has begun or ended that itself is read in parts. */
  begin(name: string): void
  end(name: string): void
  /** A complete element below the message (`parent` is empty) or below such a part. */
  part(parent: string, node: XmlNode): void
}

/** Elements that are read in parts: the statement, report or notification that holds the entries. */
const inParts: ReadonlySet<string> = new Set(['Stmt', 'Rpt', 'Ntfctn'])

/** No message of ISO 20022 is nested deeper than half of this. */
const deepest = 64
/** Far more than the longest text of a message, 20,000 characters. */
const longestText = 100_000

/**
 * Reads XML as it comes. Every value stays text: a reference of zeros is no number. Refuses a document type and with it every
 * entity but XML's five, so nothing expands. Elements of another namespace than the message's are left out. `encoding` replaces the
 * one that the document declares.
 */
export async function readXml(bytes: AsyncIterable<Buffer>, reader: DocumentReader, encoding?: string): Promise<void> {
  const parser = new SaxesParser({ xmlns: true })
  parser.on('error', (error) => {
    throw new FileFault(`The file is not well-formed XML (line ${parser.line}): ${reasonOf(error)}.`)
  })
  parser.on('doctype', () => {
    throw new FileFault('The file has a document type, which is not allowed.')
  })
  const builder = newBuilder(reader)
  parser.on('opentag', builder.open)
  parser.on('closetag', builder.close)
  parser.on('text', builder.text)
  parser.on('cdata', builder.text)

  let decoder: TextDecoder | undefined
  for await (const chunk of bytes) {
    decoder ??= encoding === undefined ? decoderFor(chunk) : new TextDecoder(encoding)
    parser.write(decode(decoder, chunk))
  }
  atTheEnd(() => {
    if (decoder) parser.write(decoder.decode())
    parser.close()
  })
  builder.finish()
}

/** Whatever is wrong at the end only may be right once the rest has been written. */
function atTheEnd(finish: () => void): void {
  try {
    finish()
  } catch (error) {
    const message = error instanceof FileFault ? error.message : 'The file ends within a character.'
    throw new FileFault(message, { isIncomplete: true })
  }
}

/** What the parser found, without what the file says there. */
const reasonOf = (error: Error): string =>
  error.message
    .replace(/^\d+:\d+: /, '')
    .replace(/[:.]? ?[^a-z ].*$/i, '')
    .slice(0, 80)

function decoderFor(start: Buffer): TextDecoder {
  if (start[0] === 0xff && start[1] === 0xfe) return new TextDecoder('utf-16le', { fatal: true })
  if (start[0] === 0xfe && start[1] === 0xff) return new TextDecoder('utf-16be', { fatal: true })
  const [, named = 'utf-8'] =
    /^\s*<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']/.exec(start.subarray(0, 300).toString('latin1')) ??
    []
  try {
    return new TextDecoder(named, { fatal: true })
  } catch {
    throw new FileFault('The file has an unknown encoding.')
  }
}

function decode(decoder: TextDecoder, chunk: Buffer): string {
  try {
    return decoder.decode(chunk, { stream: true })
  } catch {
    throw new FileFault('The file is not in the encoding that it declares.', { isEncoding: true })
  }
}

type Builder = {
  open(tag: SaxesTagNS): void
  close(tag: SaxesTagNS): void
  text(text: string): void
  finish(): void
}

function newBuilder(reader: DocumentReader): Builder {
  /** Names from the outside to here, and where among them `Document` is; everything around it is an envelope. */
  let depth = 0
  let documentAt = 0
  let namespace = ''
  let isOver = false
  /** Inside how many elements of another namespace we are. */
  let foreign = 0
  let part = ''
  const open: XmlNode[] = []

  return {
    open: ({ local, uri, attributes }) => {
      depth += 1
      if (depth > deepest) throw new FileFault('The file is nested too deeply.')
      if (documentAt === 0) {
        if (local !== 'Document') return
        if (isOver) throw new FileFault('The file has more than one message.')
        documentAt = depth
        namespace = uri
        reader.message(uri)
        return
      }
      if (foreign > 0 || uri !== namespace) return void (foreign += 1)
      const level = depth - documentAt
      if (level === 1) return
      if (level === 2 && inParts.has(local)) {
        part = local
        return reader.begin(local)
      }
      const node: XmlNode = { name: local, attributes: valuesOf(attributes), children: [], text: '' }
      open.at(-1)?.children.push(node)
      open.push(node)
    },
    close: ({ local }) => {
      const level = depth - documentAt
      depth -= 1
      if (documentAt === 0) return
      if (level === 0) {
        documentAt = 0
        isOver = true
        return
      }
      if (foreign > 0) return void (foreign -= 1)
      if (level === 1) return
      if (level === 2 && part !== '') {
        part = ''
        return reader.end(local)
      }
      const node = open.pop()
      if (!node) return
      node.text = node.text.trim()
      if (open.length === 0) reader.part(part, node)
    },
    text: (text) => {
      const node = open.at(-1)
      if (!node || foreign > 0) return
      node.text += text
      if (node.text.length > longestText) throw new FileFault('The file has a text that is too long.')
    },
    finish: () => {
      if (!isOver) throw new FileFault('The file has no message of ISO 20022.')
    },
  }
}

const valuesOf = (attributes: SaxesTagNS['attributes']): Record<string, string> =>
  Object.fromEntries(Object.values(attributes).map(({ local, value }) => [local, value]))

/** All elements at a path, in their order: `all(entry, 'NtryDtls/TxDtls')`. */
export function all(node: XmlNode | undefined, path: string): XmlNode[] {
  let found = node ? [node] : []
  for (const name of path.split('/'))
    found = found.flatMap(({ children }) => children.filter((one) => one.name === name))
  return found
}

/** The first element at a path. */
export const first = (node: XmlNode | undefined, path: string): XmlNode | undefined => all(node, path)[0]

/** The text at the first of some paths that has one; empty where none has. */
export function textAt(node: XmlNode | undefined, ...paths: string[]): string {
  for (const path of paths) {
    const found = all(node, path).find(({ text }) => text !== '')
    if (found) return found.text
  }
  return ''
}

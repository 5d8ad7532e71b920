import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import pg from 'pg'

/** Every row of every table of ours as text, by table. `bytea` is in it as hexadecimal digits. */
export async function everyTable(url: string): Promise<Map<string, string>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const named = await client.query<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
       where table_schema in ('public', 'sandbox') and table_type = 'BASE TABLE'`,
    )
    const dumped = new Map<string, string>()
    for (const { name } of named.rows) {
      const { rows } = await client.query<{ row: string }>(`select row_to_json(t)::text as row from ${name} as t`)
      dumped.set(name, rows.map(({ row }) => row).join('\n'))
    }
    return dumped
  } finally {
    await client.end()
  }
}

/** Whether a text stands in a table's dump, as text or as bytes. */
export const isIn = (dump: string, text: string): boolean =>
  dump.includes(text) ||
  dump.includes(JSON.stringify(text).slice(1, -1)) ||
  dump.includes(Buffer.from(text).toString('hex'))

/** The files of a folder in whose bytes a text stands; what cannot be read any more is no file. */
export function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(text))
}

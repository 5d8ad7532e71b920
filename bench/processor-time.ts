import { readdir, readFile } from 'node:fs/promises'

const clockTickMs = 10

/** A process as proc(5) shows it: its parent, and the ticks that it has used, those of children that it has waited for included. */
type Process = { parent: number; ticks: number }

/** Processor time in milliseconds of a process and of all that it has started, its children's children included. */
export async function familyCpuMs(pid: number): Promise<number> {
  const processes = await readProcesses()
  const family = new Set([pid])
  for (let size = 0; size !== family.size;) {
    size = family.size
    for (const [child, { parent }] of processes) if (family.has(parent)) family.add(child)
  }
  return [...family].reduce((sum, member) => sum + (processes.get(member)?.ticks ?? 0), 0) * clockTickMs
}

/** The same of one process alone. */
export async function cpuMs(pid: number): Promise<number> {
  const fields = await fieldsOf(String(pid))
  return ticksIn(fields, 2) * clockTickMs
}

async function readProcesses(): Promise<Map<number, Process>> {
  const found = new Map<number, Process>()
  for (const name of await readdir('/proc')) {
    const fields = /^\d+$/.test(name) ? await fieldsOf(name) : []
    if (fields.length > 0) found.set(Number(name), { parent: fields[1] ?? 0, ticks: ticksIn(fields, 4) })
  }
  return found
}

/** What follows the name in a process's `stat`; nothing for one that has ended. */
async function fieldsOf(name: string): Promise<number[]> {
  const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
  return stat === ''
    ? []
    : stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number)
}

/** User and system time, and with four fields those of children that were waited for. */
const ticksIn = (fields: number[], count: 2 | 4): number =>
  fields.slice(11, 11 + count).reduce((sum, one) => sum + one, 0)

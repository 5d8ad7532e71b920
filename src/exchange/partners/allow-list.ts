import { badField } from '../../platform/lib/refusal.ts'
import { cidr } from '../../platform/lib/setting.ts'

/** Checks one entry of an allow-list: an address or a block (`192.0.2.0/24`, `2001:db8::/32`). Refuses anything else. */
export function readAllowIp(text: string): string {
  try {
    return cidr(text.trim())
  } catch (error) {
    if (error instanceof RangeError) throw badField('allow_ips', `${error.message}.`)
    throw error
  }
}

import { resolve } from 'node:path'

import { optional } from '../../platform/lib/setting.ts'

/** Settings of the country by IP address. */
export const geoSettings = {
  databaseFile: optional(
    'GEO_DATABASE_FILE',
    '/var/lib/cambio/country.mmdb',
    resolve,
    'A newer database of countries by IP address (MMDB). The service reloads it when the file is replaced.',
  ),
}

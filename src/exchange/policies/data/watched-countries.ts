/**
 * Countries on the FATF's list "Jurisdictions under Increased Monitoring" as of June 2026, by alpha-2 code. The list changes
 * every February, June and October. Sources, read 2026-11-20: the list of 13 February 2026
 * (https://salvusfunds.com/2026/02/16/fatf-increased-monitoring-high-risk-jurisdictions-february-2026), and June's changes
 * (Algeria and Namibia out, Bosnia and Herzegovina and Iraq in:
 * https://rosemont-int.com/zh/article/novosti/fatf-update-on-the-list-of-monitored-jurisdictions-062026).
 * unverified: the FATF's own page, and what October 2026 changed.
 */
export const watchedCountries: ReadonlySet<string> = new Set([
  'AO', // Angola
  'BA', // Bosnia and Herzegovina
  'BG', // Bulgaria
  'BO', // Bolivia
  'CD', // Democratic Republic of the Congo
  'CI', // Côte d'Ivoire
  'CM', // Cameroon
  'HT', // Haiti
  'IQ', // Iraq
  'KE', // Kenya
  'KW', // Kuwait
  'LA', // Laos
  'LB', // Lebanon
  'MC', // Monaco
  'NP', // Nepal
  'PG', // Papua New Guinea
  'SS', // South Sudan
  'SY', // Syria
  'VE', // Venezuela
  'VG', // British Virgin Islands
  'VN', // Vietnam
  'YE', // Yemen
])

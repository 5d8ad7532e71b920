/**
 * Countries that we do not serve, each with its reason. Sources: FATF, "High-Risk Jurisdictions subject to a Call for
 * Action" and "Jurisdictions under Increased Monitoring" (fatf-gafi.org); the EU Sanctions Map (sanctionsmap.eu);
 * OFAC, sanctions programs (ofac.treasury.gov). This is the service's own floor: an operator's license will block
 * more.
 */
export const blockedCountries: Readonly<Record<string, string>> = {
  AF: 'EU and UN measures on the Taliban (UNSCR 1988): banks do not settle with it',
  BY: 'EU Regulation 765/2006; treated as Russia is',
  CU: 'US Cuban Assets Control Regulations, 31 CFR 515, which bind the card schemes',
  IR: 'FATF call for action; US Iranian Transactions and Sanctions Regulations, 31 CFR 560',
  KP: 'FATF call for action; UNSCR 1718; EU Regulation 2017/1509',
  MM: 'FATF call for action',
  RU: 'EU Regulation 833/2014, article 5b(2): no crypto-asset services to its nationals or residents',
  SY: 'FATF increased monitoring; EU and US measures lifted in 2025 only in part',
}

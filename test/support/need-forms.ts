/** The forms that end a need, by its kind and cause. Where there is none, its sentence says who ends it. */
export const needForms: Readonly<Record<string, readonly string[]>> = {
  'hold on_hold': ['release', 'refund'],
  'hold on_hold review': ['release', 'refund'],
  'hold on_hold payer': ['release', 'refund'],
  'hold refund held': ['release'],
  'hold refund failed': ['redirect'],
  'approval payout': ['approve'],
  'approval refund': ['approve'],
  'approval policy': ['approve'],
  'approval hedge': ['approve-hedge'],
  'approval rebalance': ['approve-transfer'],
  'approval resume': ['resume'],
  'approval payout address': ['approve'],
  'approval operator key': ['countersign'],
  'approval payment end': ['cancel-payout'],
  'approval bank file': ['accept'],
  'approval bank booking': ['withdraw'],
  'suspense unmatched': ['match'],
  'suspense return failed': ['return'],
  'suspense debit': ['book'],
  'break open': ['resolve'],
  'break signed': ['resolve'],
  'bank_file refused': ['accept'],
  'bank_file missing': ['skip'],
  'balance short': ['propose-transfers'],
  'balance low': ['propose-transfers'],
  'market halted': ['resume'],
  'endpoint disabled': ['resume'],
  'hedge unknown': ['resolve-hedge'],
  'hedge short': ['propose-transfers'],
  'rail crediting': ['credit'],
  'rail rail': ['resume'],
  'rail asset': ['resume'],
  'rail payouts': ['resume'],
  'rail all': ['resume'],
  'restored restored': ['open'],
}

/** Those whose forms need more than a row: files that explain them show the forms. */
export const notPlanted: readonly string[] = [
  'approval refund',
  'approval payment end',
  'approval bank booking',
  'approval operator key',
]

/** Somebody else ends it: who. A place where it is done, or a thing, is nobody. */
export const saysWho =
  /(tell|ask) (the people|those) who|the people who run the|those who run the|Ask the partner to|Ask the venue to|[Ii]ts customer/i

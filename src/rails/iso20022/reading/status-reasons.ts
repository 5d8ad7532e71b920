/** Why banks refuse payments (ISO 20022 external status reason codes), in a sentence for the operator. */
const sentences: ReadonlyMap<string, string> = new Map([
  ['AB05', 'The payment timed out at the payee’s bank.'],
  ['AB06', 'The instant payment timed out.'],
  ['AB08', 'The payee’s bank is not online.'],
  ['AC01', 'The payee’s account number is wrong.'],
  ['AC03', 'The payee’s account number is wrong.'],
  ['AC04', 'The payee’s account is closed.'],
  ['AC06', 'The payee’s account is blocked.'],
  ['AC07', 'The payee’s account is closed.'],
  ['AC13', 'The payee’s account is of a kind that takes no such payment.'],
  ['AG01', 'The payee’s account takes no such payment.'],
  ['AG02', 'The payee’s bank does not know this kind of payment.'],
  ['AG10', 'The payee’s bank is suspended.'],
  ['AM02', 'The amount is above the limit of this kind of payment.'],
  ['AM03', 'The currency is not possible.'],
  ['AM04', 'Our account does not hold enough.'],
  ['AM05', 'The bank takes it for a duplicate.'],
  ['AM07', 'The amount is blocked.'],
  ['AM09', 'The amount is not valid.'],
  ['AM12', 'The amount is not valid.'],
  ['AM23', 'The amount is above the agreed limit.'],
  ['BE01', 'The name does not belong to the payee’s account.'],
  ['BE04', 'The payee’s address is missing or wrong.'],
  ['BE07', 'Our address is missing or wrong.'],
  ['CNOR', 'The payee’s bank is not registered.'],
  ['CURR', 'The currency is not possible.'],
  ['CUST', 'The payer or the payee asked for it.'],
  ['DNOR', 'Our bank is not registered.'],
  ['DS02', 'A signature is missing.'],
  ['DS0H', 'The signer has no authority.'],
  ['DT01', 'The execution date is not valid.'],
  ['DUPL', 'The bank takes it for a duplicate.'],
  ['ED05', 'Settlement between the banks failed.'],
  ['FF01', 'The bank could not read the file.'],
  ['FOCR', 'It was returned after a request to cancel.'],
  ['FR01', 'The bank suspects fraud.'],
  ['MD07', 'The payee has died.'],
  ['MS02', 'The payee refused it.'],
  ['MS03', 'The payee’s bank gives no reason.'],
  ['NARR', 'The bank explains it elsewhere.'],
  ['RC01', 'The BIC is wrong.'],
  ['RC04', 'The payee’s bank is wrong.'],
  ['RR01', 'Our account is missing in the order.'],
  ['RR02', 'Our name or address is missing in the order.'],
  ['RR03', 'The payee’s name or address is missing.'],
  ['RR04', 'A regulation forbids it.'],
  ['TA01', 'The bank has no agreement for such files with us.'],
  ['TD03', 'The file has the wrong structure.'],
  ['TM01', 'It came after the bank’s cut-off time.'],
])

/** The sentence for a code, with the code; banks also use codes of their own. */
export const reasonText = (code: string): string => {
  const known = sentences.get(code)
  const shown = /^[A-Z0-9]{1,35}$/i.test(code) ? code : 'a text'
  if (code === '') return 'The bank gives no reason.'
  return known === undefined ? `The bank’s reason is ${shown}.` : `${known} (${code})`
}

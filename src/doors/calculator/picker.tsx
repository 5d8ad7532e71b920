import type { Listing } from '../../reference/catalog/asset.ts'
import type { Language } from '../../platform/language/language.ts'

type PickerProps = {
  name: string
  label: string
  options: readonly Listing[]
  chosen: Listing
  language: Language
}

/**
 * Selects one of many currencies and networks. Without scripts a plain list; with them a button that opens a searchable list
 * (islands/widget.ts), which takes its texts and logos from here.
 */
export function Picker({ name, label, options, chosen, language }: PickerProps) {
  const { say } = language
  return (
    <div class="picker" data-picker>
      <select
        name={name}
        aria-label={label}
        data-search={say('calculator.search')}
        data-hint={say('calculator.searchHint')}
        data-none={say('calculator.noMatch')}
        data-close={say('calculator.close')}
      >
        {options.map((listing) => (
          <option
            key={listing.asset.id}
            value={listing.asset.id}
            selected={listing === chosen}
            data-ticker={listing.asset.ticker}
            data-logo={`/logos/${listing.currency.logo}.svg`}
            {...(listing.network.chain ? { 'data-network': listing.network.name } : {})}
          >
            {nameOf(listing, language)}
          </option>
        ))}
      </select>
    </div>
  )
}

/** A coin's only network isn't named. */
function nameOf({ currency, network, asset }: Listing, { say, currency: named }: Language): string {
  const values = { name: named(currency), ticker: asset.ticker, network: network.name }
  return say(currency.networks.length > 1 ? 'calculator.optionOn' : 'calculator.option', values)
}

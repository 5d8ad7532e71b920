// A wallet's page with a balance and a "buy" button, which opens the calculator over the page.
import * as React from 'react'
import { createRoot } from 'react-dom/client'
import { cambioWidget } from 'cambio-sdk/react'

const CambioWidget = cambioWidget(React)

function Wallet({ calculator }) {
  const [price, setPrice] = React.useState('')
  const noteEstimate = React.useCallback(({ type, to_amount: amount }) => {
    if (type === 'estimate' && amount) setPrice(`You would get ${amount} BTC.`)
  }, [])
  return (
    <main>
      <h1>My wallet</h1>
      <p>0 BTC</p>
      <CambioWidget src={calculator} mode="overlay" title="Buy Bitcoin" onEvent={noteEstimate}>
        Buy Bitcoin
      </CambioWidget>
      <p role="status">{price}</p>
    </main>
  )
}

// The server signs the calculator's address, so that nobody changes its options.
const { url } = await (await fetch('/calculator')).json()
createRoot(document.getElementById('wallet')).render(<Wallet calculator={url} />)

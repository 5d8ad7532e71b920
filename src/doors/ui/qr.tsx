/** A QR code, next to the text that it encodes. `svg` is our own markup from `qrSvg`, without scripts or styles. */
export function QrCode({ svg, says }: { svg: string | undefined; says: string }) {
  if (svg === undefined) return null
  return (
    <figure class="qr">
      <div dangerouslySetInnerHTML={{ __html: svg }} />
      <figcaption>{says}</figcaption>
    </figure>
  )
}

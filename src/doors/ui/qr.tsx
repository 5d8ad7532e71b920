/** A QR code beside what it says. `svg` is markup of ours, made by `qrSvg`; scripts and styles can not be in it. */
export function QrCode({ svg, says }: { svg: string | undefined; says: string }) {
  if (svg === undefined) return null
  return (
    <figure class="qr">
      <div dangerouslySetInnerHTML={{ __html: svg }} />
      <figcaption>{says}</figcaption>
    </figure>
  )
}

/** The element that the component shows. */
export { CambioWidget as CambioWidgetElement } from './widget.ts'

/** The part of React that the wrapper needs: pass your own, so that the package depends on none. */
type React = {
  createElement(type: string, props: Record<string, unknown>, ...children: unknown[]): unknown
  useEffect(effect: () => () => void, dependencies: unknown[]): void
  useRef(initial: null): { current: HTMLElement | null }
}

export type CambioWidgetProps = {
  src: string
  mode?: 'inline' | 'overlay' | 'new-tab'
  title?: string
  /** Called with each message of the calculator. */
  onEvent?: (detail: { type: string; [field: string]: unknown }) => void
  children?: unknown
}

/** Makes the component: `const CambioWidget = cambioWidget(React)`. */
export const cambioWidget =
  (react: React) =>
  ({ onEvent, children, ...attributes }: CambioWidgetProps): unknown => {
    const ref = react.useRef(null)
    react.useEffect(() => {
      const element = ref.current
      const listen = (event: Event) => onEvent?.((event as CustomEvent<{ type: string }>).detail)
      element?.addEventListener('cambio', listen)
      return () => element?.removeEventListener('cambio', listen)
    }, [onEvent])
    return react.createElement('cambio-widget', { ref, ...attributes }, children)
  }

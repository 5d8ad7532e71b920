/** What the start page adds to the styles of all pages. */
export const startStyle = `
body{padding:1.5rem 1rem}
main{display:grid;gap:1.5rem;width:100%;max-width:72rem;margin-inline:auto}
main>*{min-width:0}
.try{display:flex;flex-wrap:wrap;gap:1rem;align-items:center}
.try .button{width:auto}
nav ul{display:flex;flex-wrap:wrap;gap:.5rem 1.25rem;align-items:center}
nav .quiet{min-height:2.75rem}
.sides,.side{display:grid;gap:1.5rem;align-content:start}
.sides>*{min-width:0}
section{display:grid;gap:.75rem;align-content:start;padding:1rem 1.25rem;border:1px solid var(--line);border-radius:var(--corner);background:var(--surface)}
.plays{display:grid;gap:0}
.plays li{border-block-start:1px solid var(--line)}
.plays .quiet{width:100%;padding-block:.375rem;text-decoration:none;min-height:2.75rem;text-align:start}
.scroll{overflow-x:auto}
td:first-child{white-space:nowrap}
caption{text-align:start;font-weight:650}
table{width:100%;border-collapse:collapse;font-size:var(--step--1)}
th,td{padding:.25rem .75rem .25rem 0;text-align:start;vertical-align:top}
td{border-block-start:1px solid var(--line)}
code{font:.875rem/1.5 ui-monospace,monospace;overflow-wrap:anywhere}
dl{display:grid;gap:.5rem}
dt{color:var(--soft);font-size:var(--step--1)}
dd code{user-select:all}
@media (min-width:60rem){.sides{grid-template-columns:minmax(0,1fr) minmax(0,1fr)}}`

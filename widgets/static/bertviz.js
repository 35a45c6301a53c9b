var k=`.attnlab.attnlab-bertviz { max-width: 1000px; }
.attnlab-bertviz iframe { display: block; width: 100%; border: 0; background: transparent; }
`;function w(t,e={},...n){return T(document.createElement(t),e,n)}function T(t,e,n){for(let[o,r]of Object.entries(e))o.startsWith("on")?t.addEventListener(o.slice(2),r):r!=null&&r!==!1&&t.setAttribute(o,r===!0?"":r);return t.append(...n),t}var y=({key:t,shiftKey:e})=>e&&t==="Enter";function h(t,e,n,o){t.on(e,n),o.addEventListener("abort",()=>t.off(e,n),{once:!0})}async function C(t){return new Response(new Blob([t]).stream().pipeThrough(new DecompressionStream("gzip"))).text()}function v(t,e,n,o=()=>0){let r=null,d=!1,i=0,c=()=>{clearTimeout(i),i=0,!(d||n.aborted)&&(d=!0,requestAnimationFrame(()=>{d=!1,n.aborted||e()}))},a=()=>r&&t.get("sequence")>=r.sequence,s=()=>{a()&&(r=null);let l=o();l?i||=setTimeout(c,l):c()},u=l=>{l?.kind==="answer"&&a()&&s(),l?.kind==="frame"&&(r=l,c())};return h(t,"change",s,n),h(t,"msg:custom",u,n),{get:l=>r&&l in r.state?r.state[l]:t.get(l),schedule:c}}var p=(t,e,n)=>Math.max(e,Math.min(n,t));var E=t=>new Uint8Array(t.buffer??t,t.byteOffset??0,t.byteLength);var A=`/* One look for every instrument: surfaces and fonts come from Jupyter's theme, roles have theirs from theme.json. */
.attnlab {
  --bg: var(--jp-layout-color1, #fff); --bg2: var(--jp-layout-color2, #eee);
  --ink: var(--jp-content-font-color1, rgba(0, 0, 0, .87)); --ink2: rgba(0, 0, 0, .60);
  --line: var(--jp-border-color2, #e0e0e0); --brand: var(--jp-brand-color1, #1976d2);
  --font: var(--jp-content-font-family, system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif);
  --mono: var(--jp-code-font-family, Menlo, Consolas, "DejaVu Sans Mono", monospace);
  --grid: rgba(0, 0, 0, .075); --grid2: rgba(0, 0, 0, .16); --hatch: rgba(0, 0, 0, .26);
  --go-ink: #fff; --error: #B3261E;
  color: var(--ink); font: 13px/1.5 var(--font); font-variant-numeric: tabular-nums;
  box-sizing: border-box; max-width: 1400px; overflow-wrap: break-word;
}
.attnlab[data-dark="true"] {
  --ink2: rgba(255, 255, 255, .66);
  --grid: rgba(255, 255, 255, .075); --grid2: rgba(255, 255, 255, .17); --hatch: rgba(255, 255, 255, .26);
  --go-ink: #0d1b26; --error: #F2B8B5; color-scheme: dark;
}
.attnlab *, .attnlab *::before, .attnlab *::after { box-sizing: border-box; }
.attnlab .query { color: var(--query-ink); } .attnlab .key { color: var(--key-ink); }
.attnlab .value { color: var(--value-ink); } .attnlab .context { color: var(--context-ink); }
.attnlab .role { unicode-bidi: isolate; } /* a number behind a word that runs from right to left stays behind it */
.attnlab .hint { color: var(--ink2); font-size: 12px; }
.attnlab button {
  font: 13px var(--font); font-variant-numeric: tabular-nums; color: var(--ink); background: var(--bg2);
  border: 0; border-radius: 2px; height: 28px; padding: 0 12px; cursor: pointer; white-space: nowrap;
  display: inline-flex; align-items: center; justify-content: center; gap: 6px;
}
.attnlab button svg { width: 14px; height: 14px; fill: currentColor; }
.attnlab button.icon { width: 34px; padding: 0; }
.attnlab button.go { background: var(--brand); color: var(--go-ink); }
.attnlab button.quiet { background: none; color: var(--ink2); padding: 0 8px; }
.attnlab button:hover:not(:disabled, [aria-disabled="true"]) { box-shadow: inset 0 0 0 1px var(--ink2); }
.attnlab button:is(:disabled, [aria-disabled="true"]) { color: var(--ink2); background: none; cursor: default; opacity: .6; }
.attnlab button[aria-disabled="true"]:focus-visible { opacity: 1; } /* its ring, too, would be pale */
.attnlab :focus-visible { outline: 2px solid var(--brand); outline-offset: 2px; }
.widget-box:has(> .attnlab) { padding-right: 8px; } /* quiet buttons reach out so far, and the box would scroll */
.attnlab .sr-only {
  position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
}
@media (forced-colors: active) {
  .attnlab.attnlab { --ink: CanvasText; --ink2: CanvasText; --bg: Canvas; --bg2: Canvas; } /* Jupyter's own do not follow a dark system */
  .attnlab button { border: 1px solid ButtonText; }
}
@media (prefers-reduced-motion: reduce) { .attnlab * { transition: none !important; animation: none !important; } }
`;var m={query:{mark:"#E69F00",ink:{light:"#8A5A00",dark:"#F0B73D"}},key:{mark:"#56B4E9",ink:{light:"#10659A",dark:"#7CC6F0"}},value:{mark:"#009E73",ink:{light:"#00704F",dark:"#3CC39B"}},context:{mark:"#CC79A7",ink:{light:"#96467A",dark:"#E09CC2"}}};var b={weights:{light:["page","#C8CEE9","#919FD8","#6271BA","#3B4592","#1C215D"],dark:["page","#3C4363","#5C68A4","#8593D2","#B8C2EC","#F0F3FD"]},positive:{light:["page","#C7CEEA","#919ED7","#616FB9","#3A4490"],dark:["page","#3E4567","#606DAB","#8D9AD7","#C3CCEF"]},negative:{light:["page","#EBC6BA","#D38E78","#AE5B41","#7F3117"],dark:["page","#613D32","#A15D48","#D48871","#F2C1B2"]}};var S=t=>[1,3,5].map(e=>parseInt(t.slice(e,e+2),16)),O=t=>`rgb(${t[0]}, ${t[1]}, ${t[2]})`;function z(t){let[e,n,o]=t.map(r=>(r/=255)<=.04045?r/12.92:((r+.055)/1.055)**2.4);return .2126*e+.7152*n+.0722*o}function M(t,e,n){let o=p(n,0,1)*(t.length-1),r=Math.min(t.length-2,Math.floor(o)),[d,i]=[t[r],t[r+1]].map(c=>c==="page"?e:S(c));return d.map((c,a)=>Math.round(c+(i[a]-c)*(o-r)))}function N(t){for(let e=t;e;e=e.parentElement??e.getRootNode()?.host){let n=getComputedStyle(e).backgroundColor.match(/[\d.]+/g)?.map(Number);if(n&&(n.length<4||n[3]>.5))return n.slice(0,3)}return[255,255,255]}var f=new WeakMap;function g(t){return f.has(t)||f.set(t,P(t)),f.get(t)}function P(t){let e=N(t.parentElement??t),n=z(e)<.179;t.dataset.dark=n;let o=getComputedStyle(t),r=matchMedia("(forced-colors: active)").matches,d=n?"dark":"light",i=a=>o.getPropertyValue(`--${a}`).trim(),c=a=>Object.fromEntries(Object.entries(m).map(([s,u])=>[s,a(u)]));return{page:e,dark:n,font:i("font"),mono:i("mono"),ink:o.color,ink2:r?o.color:i("ink2"),grid:i("grid"),grid2:i("grid2"),hatch:i("hatch"),line:i("line"),brand:i("brand"),goInk:i("go-ink"),error:i("error"),mark:c(({mark:a})=>a),text:c(({ink:a})=>a[d]),weights:a=>M(b.weights[d],e,a),scores:(a,s)=>M(b[a<0?"negative":"positive"][d],e,Math.abs(a)/(s||1))}}function D(t,e,n){let o=()=>{f.delete(t),g(t)},r=()=>{o(),e()},d=()=>{r(),setTimeout(r,300)},i=new MutationObserver(d);for(let u of[document.documentElement,document.body])i.observe(u,{attributes:!0,attributeFilter:["class","data-jp-theme-light","data-jp-theme-name","data-theme"]});for(let u of["(forced-colors: active)","(prefers-color-scheme: dark)"])matchMedia(u).addEventListener("change",d,{signal:n});let c=-1,a=new ResizeObserver(()=>{t.clientWidth!==c&&(c=t.clientWidth,r())});a.observe(t),t.isConnected&&o();let s=()=>{n.aborted||matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change",()=>{e(),s()},{once:!0,signal:n})};s(),n.addEventListener("abort",()=>{i.disconnect(),a.disconnect()})}function x(t){if([...document.querySelectorAll("style[data-attnlab]")].some(n=>n.textContent===t))return;let e=document.createElement("style");e.dataset.attnlab="",e.textContent=t,document.head.append(e)}function q(){let t=(e,n)=>Object.entries(m).map(([o,r])=>`--${o}${e}: ${n(r)};`).join(" ");return`.attnlab { ${t("",({mark:e})=>e)} ${t("-ink",({ink:e})=>e.light)} }
.attnlab[data-dark="true"] { ${t("-ink",({ink:e})=>e.dark)} }
`}x(q()+A);var R=/^(.|Arrow\w+|Page\w+|Home|End|Enter|Escape)$/u;function j(t,e,n){D(t,e,n),I(t,n)}function I(t,e){let n=o=>{!(o.ctrlKey||o.metaKey||o.altKey||y(o))&&R.test(o.key)&&t.contains(o.target)&&o.stopPropagation()};window.addEventListener("keydown",n,{capture:!0,signal:e})}x(k);function lt({model:t,el:e,signal:n}){e.classList.add("attnlab","attnlab-bertviz");let o=w("iframe",{sandbox:"allow-scripts",title:""});e.append(o);let{get:r,schedule:d}=v(t,a,n),i="";async function c(){return C(E(r("page")))}async function a(){let s=g(e),u={ink:s.ink,page:O(s.page),soft:s.line,scheme:s.dark?"dark":"light",filter:s.dark?"brightness(1.4)":"none"},l=`<!doctype html><script>const MODE = "${u.scheme}", COLOURS = ${JSON.stringify(u)};<\/script>`+await c();n.aborted||l===i||(o.title=r("name"),o.style.height=`${r("height")}px`,o.srcdoc=i=l)}window.addEventListener("message",s=>{s.source!==o.contentWindow||!Number.isFinite(s.data?.bertviz)||(o.style.height=`${p(Math.ceil(s.data.bertviz)+8,60,4e3)}px`)},{signal:n}),j(e,d,n),a()}export{lt as render};

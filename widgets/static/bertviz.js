var k=`.attnlab.attnlab-bertviz { max-width: 1000px; }
.attnlab-bertviz iframe { display: block; width: 100%; border: 0; background: transparent; }
`;function w(t,e={},...n){return T(document.createElement(t),e,n)}function T(t,e,n){for(let[r,o]of Object.entries(e))r.startsWith("on")?t.addEventListener(r.slice(2),o):o!=null&&o!==!1&&t.setAttribute(r,o===!0?"":o);return t.append(...n),t}var y=({key:t,shiftKey:e})=>e&&t==="Enter";function h(t,e,n,r){t.on(e,n),r.addEventListener("abort",()=>t.off(e,n),{once:!0})}async function C(t){return new Response(new Blob([t]).stream().pipeThrough(new DecompressionStream("gzip"))).text()}function v(t,e,n,r=()=>0){let o=null,i=!1,c=0,a=()=>{clearTimeout(c),c=0,!(i||n.aborted)&&(i=!0,requestAnimationFrame(()=>{i=!1,n.aborted||e()}))},d=()=>o&&t.get("sequence")>=o.sequence,s=()=>{d()&&(o=null);let l=r();l?c||=setTimeout(a,l):a()},u=l=>{l?.kind==="answer"&&d()&&s(),l?.kind==="frame"&&(o=l,a())};return h(t,"change",s,n),h(t,"msg:custom",u,n),{get:l=>o&&l in o.state?o.state[l]:t.get(l),schedule:a}}var p=(t,e,n)=>Math.max(e,Math.min(n,t));var E=t=>new Uint8Array(t.buffer??t,t.byteOffset??0,t.byteLength);var A=`/* One look for every instrument: surfaces and fonts come from Jupyter's theme, roles have theirs from theme.json. */
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
`;var m={query:{mark:"#E69F00",ink:{light:"#8A5A00",dark:"#F0B73D"}},key:{mark:"#56B4E9",ink:{light:"#10659A",dark:"#7CC6F0"}},value:{mark:"#009E73",ink:{light:"#00704F",dark:"#3CC39B"}},context:{mark:"#CC79A7",ink:{light:"#96467A",dark:"#E09CC2"}}};var b={weights:{light:["page","#C8CEE9","#919FD8","#6271BA","#3B4592","#1C215D"],dark:["page","#3C4363","#5C68A4","#8593D2","#B8C2EC","#F0F3FD"]},positive:{light:["page","#C7CEEA","#919ED7","#616FB9","#3A4490"],dark:["page","#3E4567","#606DAB","#8D9AD7","#C3CCEF"]},negative:{light:["page","#EBC6BA","#D38E78","#AE5B41","#7F3117"],dark:["page","#613D32","#A15D48","#D48871","#F2C1B2"]}};var S=t=>[1,3,5].map(e=>parseInt(t.slice(e,e+2),16)),O=t=>`rgb(${t[0]}, ${t[1]}, ${t[2]})`;function z(t){let[e,n,r]=t.map(o=>(o/=255)<=.04045?o/12.92:((o+.055)/1.055)**2.4);return .2126*e+.7152*n+.0722*r}function M(t,e,n){let r=p(n,0,1)*(t.length-1),o=Math.min(t.length-2,Math.floor(r)),[i,c]=[t[o],t[o+1]].map(a=>a==="page"?e:S(a));return i.map((a,d)=>Math.round(a+(c[d]-a)*(r-o)))}function N(t){for(let e=t;e;e=e.parentElement??e.getRootNode()?.host){let n=getComputedStyle(e).backgroundColor.match(/[\d.]+/g)?.map(Number);if(n&&(n.length<4||n[3]>.5))return n.slice(0,3)}return[255,255,255]}var f=new WeakMap;function g(t){return f.has(t)||f.set(t,P(t)),f.get(t)}function P(t){let e=N(t.parentElement??t),n=z(e)<.179;t.dataset.dark=n;let r=getComputedStyle(t),o=n?"dark":"light",i=a=>r.getPropertyValue(`--${a}`).trim(),c=a=>Object.fromEntries(Object.entries(m).map(([d,s])=>[d,a(s)]));return{page:e,dark:n,font:i("font"),mono:i("mono"),ink:r.color,ink2:i("ink2"),grid:i("grid"),grid2:i("grid2"),hatch:i("hatch"),line:i("line"),brand:i("brand"),goInk:i("go-ink"),error:i("error"),mark:c(({mark:a})=>a),text:c(({ink:a})=>a[o]),weights:a=>M(b.weights[o],e,a),scores:(a,d)=>M(b[a<0?"negative":"positive"][o],e,Math.abs(a)/(d||1))}}function D(t,e,n){let r=()=>{f.delete(t),g(t)},o=()=>{r(),e()},i=()=>{o(),setTimeout(o,300)},c=new MutationObserver(i);for(let u of[document.documentElement,document.body])c.observe(u,{attributes:!0,attributeFilter:["class","data-jp-theme-light","data-jp-theme-name","data-theme"]});for(let u of["(forced-colors: active)","(prefers-color-scheme: dark)"])matchMedia(u).addEventListener("change",i,{signal:n});let a=-1,d=new ResizeObserver(()=>{t.clientWidth!==a&&(a=t.clientWidth,o())});d.observe(t),t.isConnected&&r();let s=()=>{n.aborted||matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change",()=>{e(),s()},{once:!0,signal:n})};s(),n.addEventListener("abort",()=>{c.disconnect(),d.disconnect()})}function x(t){if([...document.querySelectorAll("style[data-attnlab]")].some(n=>n.textContent===t))return;let e=document.createElement("style");e.dataset.attnlab="",e.textContent=t,document.head.append(e)}function q(){let t=(e,n)=>Object.entries(m).map(([r,o])=>`--${r}${e}: ${n(o)};`).join(" ");return`.attnlab { ${t("",({mark:e})=>e)} ${t("-ink",({ink:e})=>e.light)} }
.attnlab[data-dark="true"] { ${t("-ink",({ink:e})=>e.dark)} }
`}x(q()+A);var R=/^(.|Arrow\w+|Page\w+|Home|End|Enter|Escape)$/u;function j(t,e,n){D(t,e,n),I(t,n)}function I(t,e){let n=r=>{!(r.ctrlKey||r.metaKey||r.altKey||y(r))&&R.test(r.key)&&t.contains(r.target)&&r.stopPropagation()};window.addEventListener("keydown",n,{capture:!0,signal:e})}x(k);function lt({model:t,el:e,signal:n}){e.classList.add("attnlab","attnlab-bertviz");let r=w("iframe",{sandbox:"allow-scripts",title:""});e.append(r);let{get:o,schedule:i}=v(t,d,n),c="";async function a(){return C(E(o("page")))}async function d(){let s=g(e),u={ink:s.ink,page:O(s.page),soft:s.line,scheme:s.dark?"dark":"light",filter:s.dark?"brightness(1.4)":"none"},l=`<!doctype html><script>const MODE = "${u.scheme}", COLOURS = ${JSON.stringify(u)};<\/script>`+await a();n.aborted||l===c||(r.title=o("name"),r.style.height=`${o("height")}px`,r.srcdoc=c=l)}window.addEventListener("message",s=>{s.source!==r.contentWindow||!Number.isFinite(s.data?.bertviz)||(r.style.height=`${p(Math.ceil(s.data.bertviz)+8,60,4e3)}px`)},{signal:n}),j(e,i,n),d()}export{lt as render};

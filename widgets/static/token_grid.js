var B=`.attnlab-lines { margin-top: 16px; overflow-x: auto; }
.attnlab-lines table { border-collapse: separate; border-spacing: 2px 4px; margin: 0; table-layout: fixed; }
.attnlab-lines tr, .attnlab-lines tr:hover, .attnlab-lines tr:nth-child(even) { background: none; }
.attnlab-lines th {
  width: 120px; padding: 0 8px 0 0; text-align: right; font: 13px/30px var(--font); font-weight: 400; color: var(--ink2);
  background: none; border: 0; white-space: nowrap;
}
.attnlab-lines tr:first-child th { color: var(--ink); font-weight: 600; }
.attnlab-lines td {
  width: var(--column); height: 30px; padding: 0; text-align: center; font: 15px/28px var(--mono); color: var(--ink);
  border: 0; border-bottom: 2px solid transparent; background: none;
}
.attnlab-lines tr:first-child td:not(.note) { background: var(--bg2); font-weight: 600; }
.attnlab-lines td.wrong { background: var(--wrong); color: var(--wrong-ink); border-bottom: 2px dashed var(--dash); }
.attnlab-lines td.note {
  width: 112px; padding-left: 10px; text-align: left; font: 12px/28px var(--font); font-variant-numeric: tabular-nums;
  color: var(--ink2); white-space: nowrap;
}
`;function p(t,e={},...n){return R(document.createElement(t),e,n)}function R(t,e,n){for(let[o,r]of Object.entries(e))o.startsWith("on")?t.addEventListener(o.slice(2),r):r!=null&&r!==!1&&t.setAttribute(o,r===!0?"":r);return t.append(...n),t}var M=({key:t,shiftKey:e})=>e&&t==="Enter";function k(t,e,n,o){t.on(e,n),o.addEventListener("abort",()=>t.off(e,n),{once:!0})}function F(t,e,n,o=()=>0){let r=null,d=!1,i=0,c=()=>{clearTimeout(i),i=0,!(d||n.aborted)&&(d=!0,requestAnimationFrame(()=>{d=!1,n.aborted||e()}))},a=()=>r&&t.get("sequence")>=r.sequence,s=()=>{a()&&(r=null);let l=o();l?i||=setTimeout(c,l):c()},u=l=>{l?.kind==="answer"&&a()&&s(),l?.kind==="frame"&&(r=l,c())};return k(t,"change",s,n),k(t,"msg:custom",u,n),{get:l=>r&&l in r.state?r.state[l]:t.get(l),schedule:c}}var h=(t,e,n)=>Math.max(e,Math.min(n,t));function $(t){let e=t.data instanceof DataView?t.data:new DataView(t.data.buffer??t.data);return new Float32Array(e.buffer.slice(e.byteOffset,e.byteOffset+e.byteLength))}var D=`/* One look for every instrument: surfaces and fonts come from Jupyter's theme, roles have theirs from theme.json. */
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
`;var w={query:{mark:"#E69F00",ink:{light:"#8A5A00",dark:"#F0B73D"}},key:{mark:"#56B4E9",ink:{light:"#10659A",dark:"#7CC6F0"}},value:{mark:"#009E73",ink:{light:"#00704F",dark:"#3CC39B"}},context:{mark:"#CC79A7",ink:{light:"#96467A",dark:"#E09CC2"}}};var y={weights:{light:["page","#C8CEE9","#919FD8","#6271BA","#3B4592","#1C215D"],dark:["page","#3C4363","#5C68A4","#8593D2","#B8C2EC","#F0F3FD"]},positive:{light:["page","#C7CEEA","#919ED7","#616FB9","#3A4490"],dark:["page","#3E4567","#606DAB","#8D9AD7","#C3CCEF"]},negative:{light:["page","#EBC6BA","#D38E78","#AE5B41","#7F3117"],dark:["page","#613D32","#A15D48","#D48871","#F2C1B2"]}};var W=t=>[1,3,5].map(e=>parseInt(t.slice(e,e+2),16)),m=t=>`rgb(${t[0]}, ${t[1]}, ${t[2]})`;function _(t){let[e,n,o]=t.map(r=>(r/=255)<=.04045?r/12.92:((r+.055)/1.055)**2.4);return .2126*e+.7152*n+.0722*o}function O(t,e,n){let o=h(n,0,1)*(t.length-1),r=Math.min(t.length-2,Math.floor(o)),[d,i]=[t[r],t[r+1]].map(c=>c==="page"?e:W(c));return d.map((c,a)=>Math.round(c+(i[a]-c)*(o-r)))}function K(t){for(let e=t;e;e=e.parentElement??e.getRootNode()?.host){let n=getComputedStyle(e).backgroundColor.match(/[\d.]+/g)?.map(Number);if(n&&(n.length<4||n[3]>.5))return n.slice(0,3)}return[255,255,255]}var b=new WeakMap;function v(t){return b.has(t)||b.set(t,V(t)),b.get(t)}function V(t){let e=K(t.parentElement??t),n=_(e)<.179;t.dataset.dark=n;let o=getComputedStyle(t),r=matchMedia("(forced-colors: active)").matches,d=n?"dark":"light",i=a=>o.getPropertyValue(`--${a}`).trim(),c=a=>Object.fromEntries(Object.entries(w).map(([s,u])=>[s,a(u)]));return{page:e,dark:n,font:i("font"),mono:i("mono"),ink:o.color,ink2:r?o.color:i("ink2"),grid:i("grid"),grid2:i("grid2"),hatch:i("hatch"),line:i("line"),brand:i("brand"),goInk:i("go-ink"),error:i("error"),mark:c(({mark:a})=>a),text:c(({ink:a})=>a[d]),weights:a=>O(y.weights[d],e,a),scores:(a,s)=>O(y[a<0?"negative":"positive"][d],e,Math.abs(a)/(s||1))}}function T(t,e,n){let o=()=>{b.delete(t),v(t)},r=()=>{o(),e()},d=()=>{r(),setTimeout(r,300)},i=new MutationObserver(d);for(let u of[document.documentElement,document.body])i.observe(u,{attributes:!0,attributeFilter:["class","data-jp-theme-light","data-jp-theme-name","data-theme"]});for(let u of["(forced-colors: active)","(prefers-color-scheme: dark)"])matchMedia(u).addEventListener("change",d,{signal:n});let c=-1,a=new ResizeObserver(()=>{t.clientWidth!==c&&(c=t.clientWidth,r())});a.observe(t),t.isConnected&&o();let s=()=>{n.aborted||matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change",()=>{e(),s()},{once:!0,signal:n})};s(),n.addEventListener("abort",()=>{i.disconnect(),a.disconnect()})}function C(t){if([...document.querySelectorAll("style[data-attnlab]")].some(n=>n.textContent===t))return;let e=document.createElement("style");e.dataset.attnlab="",e.textContent=t,document.head.append(e)}function H(){let t=(e,n)=>Object.entries(w).map(([o,r])=>`--${o}${e}: ${n(r)};`).join(" ");return`.attnlab { ${t("",({mark:e})=>e)} ${t("-ink",({ink:e})=>e.light)} }
.attnlab[data-dark="true"] { ${t("-ink",({ink:e})=>e.dark)} }
`}C(H()+D);var J=/^(.|Arrow\w+|Page\w+|Home|End|Enter|Escape)$/u;function N(t,e,n){T(t,e,n),U(t,n)}function U(t,e){let n=o=>{!(o.ctrlKey||o.metaKey||o.altKey||M(o))&&J.test(o.key)&&t.contains(o.target)&&o.stopPropagation()};window.addEventListener("keydown",n,{capture:!0,signal:e})}function E(t){let[,e,n,o]=/^( *)(.*?)( *)$/s.exec(t);return("␣".repeat(e.length)+n+"␣".repeat(o.length)).replaceAll(`
`,"↵").replaceAll("	","⇥").replace(/(?! )[\p{C}\p{Z}]/gu,"·")||"∅"}C(B);function kt({model:t,el:e,signal:n}){e.classList.add("attnlab","attnlab-lines");let{get:o,schedule:r}=F(t,a,n),d=p("tbody"),i=p("table",{},d);e.append(i);function c(s,u){let f=E(s)==="∅"?"nothing":s,l=u===0?`${f}, wrong`:s===""?"nothing":null,g=p("span",{"aria-hidden":l?"true":null},s===""?"·":E(s));return p("td",{class:u===0?"wrong":u===1?"right":"plain"},g,...l?[p("span",{class:"sr-only"},l)]:[])}function a(){let s=v(e),u=o("tokens")??[],f=o("names")??[],l=o("notes")??[],g=o("right")?$(o("right")):[],A=u[0]?.length??0;e.style.setProperty("--wrong",m(s.scores(-.28,1))),e.style.setProperty("--wrong-ink",m(s.scores(-1,1))),e.style.setProperty("--dash",m(s.scores(-.75,1)));let S=(e.clientWidth||700)-128-112;e.style.setProperty("--column",`${Math.floor(h(S/Math.max(A,16),14,34))}px`),i.setAttribute("aria-label",o("title")),d.replaceChildren(...u.map((L,x)=>p("tr",{},p("th",{scope:"row"},f[x]??""),...L.map((P,q)=>c(P,g[x*A+q])),p("td",{class:"note"},l[x]??""))))}N(e,r,n),a()}export{kt as render};

var E=`.attnlab-table { overflow-x: auto; container-type: inline-size; }
.attnlab-table table { border-collapse: collapse; font: 13px var(--font); font-variant-numeric: tabular-nums; color: var(--ink); margin: 0; }
.attnlab-table caption { text-align: left; font-size: 15px; padding: 0 0 8px; color: var(--ink); caption-side: top; }
.attnlab-table tr, .attnlab-table tbody tr:nth-child(n) { background: none; }
.attnlab-table th, .attnlab-table td { text-align: left; padding: 4px 24px 4px 0; border: 0; white-space: nowrap; height: 32px; background: none; }
.attnlab-table thead th { font-weight: 400; padding-left: 0; white-space: normal; vertical-align: bottom; border-bottom: 1px solid var(--grid2); }
.attnlab-table tbody th { font-weight: 600; }
.attnlab-table tbody tr { border-bottom: 1px solid var(--grid); }
.attnlab-table thead button { background: none; padding: 0; color: var(--ink2); font-size: 12px; height: auto; min-height: 28px; white-space: normal; text-align: left; }
.attnlab-table thead button:hover:not(:disabled) { box-shadow: none; color: var(--ink); }
.attnlab-table thead th[aria-sort] button { color: var(--ink); font-weight: 600; }
.attnlab-table .arrow { width: 10px; display: inline-block; }
.attnlab-table .number { text-align: right; }
.attnlab-table th:last-child, .attnlab-table td:last-child { padding-right: 0; }
.attnlab-table td.measured { white-space: normal; }
.attnlab-table td svg { width: 90px; height: 16px; vertical-align: middle; margin-right: 8px; overflow: visible; }
.attnlab-table .track { fill: var(--grid); }
.attnlab-table .range { stroke: var(--ink); stroke-width: 1.5; }
.attnlab-table .bold { font-weight: 600; margin-right: 6px; } .attnlab-table .span { color: var(--ink2); font-size: 12px; white-space: nowrap; display: inline-block; }
.attnlab-table .formula { font-family: var(--mono); font-size: 12px; }
.attnlab-table .many :is(th, td):not(:last-child) { padding-right: 12px; } .attnlab-table .many td svg { width: 48px; }
@container (max-width: 840px) { .attnlab-table th, .attnlab-table td { padding-right: 12px; } .attnlab-table td svg { width: 48px; } }
`;var q="http://www.w3.org/2000/svg";function c(t,e={},...n){return B(document.createElement(t),e,n)}function f(t,e={},...n){return B(document.createElementNS(q,t),e,n)}function B(t,e,n){for(let[o,a]of Object.entries(e))o.startsWith("on")?t.addEventListener(o.slice(2),a):a!=null&&a!==!1&&t.setAttribute(o,a===!0?"":a);return t.append(...n),t}function F(t,e,n,o=()=>0){let a=null,i=!1,d=0,r=()=>{clearTimeout(d),d=0,!(i||n.aborted)&&(i=!0,requestAnimationFrame(()=>{i=!1,n.aborted||e()}))},l=()=>a&&t.get("sequence")>=a.sequence,s=()=>{l()&&(a=null);let u=o();u?d||=setTimeout(r,u):r()},p=u=>{u?.kind==="answer"&&l()&&s(),u?.kind==="frame"&&(a=u,r())};return t.on("change",s),t.on("msg:custom",p),n.addEventListener("abort",()=>{t.off("change",s),t.off("msg:custom",p)}),{get:u=>a&&u in a.state?a.state[u]:t.get(u),schedule:r}}var x=(t,e,n)=>Math.max(e,Math.min(n,t));var j=`/* One look for every instrument: surfaces and fonts come from Jupyter's theme, roles have theirs from theme.json. */
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
.attnlab :focus-visible { outline: 2px solid var(--brand); outline-offset: 2px; }
.attnlab .sr-only {
  position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
}
@media (prefers-reduced-motion: reduce) { .attnlab * { transition: none !important; animation: none !important; } }
`;var w={query:{mark:"#E69F00",ink:{light:"#8A5A00",dark:"#F0B73D"}},key:{mark:"#56B4E9",ink:{light:"#10659A",dark:"#7CC6F0"}},value:{mark:"#009E73",ink:{light:"#00704F",dark:"#3CC39B"}},context:{mark:"#CC79A7",ink:{light:"#96467A",dark:"#E09CC2"}}};var v={weights:{light:["page","#C8CEE9","#919FD8","#6271BA","#3B4592","#1C215D"],dark:["page","#3C4363","#5C68A4","#8593D2","#B8C2EC","#F0F3FD"]},positive:{light:["page","#C7CEEA","#919ED7","#616FB9","#3A4490"],dark:["page","#3E4567","#606DAB","#8D9AD7","#C3CCEF"]},negative:{light:["page","#EBC6BA","#D38E78","#AE5B41","#7F3117"],dark:["page","#613D32","#A15D48","#D48871","#F2C1B2"]}};var R=t=>[1,3,5].map(e=>parseInt(t.slice(e,e+2),16)),$=t=>`rgb(${t[0]}, ${t[1]}, ${t[2]})`;function T(t){let[e,n,o]=t.map(a=>(a/=255)<=.04045?a/12.92:((a+.055)/1.055)**2.4);return .2126*e+.7152*n+.0722*o}function M(t,e,n){let o=x(n,0,1)*(t.length-1),a=Math.min(t.length-2,Math.floor(o)),[i,d]=[t[a],t[a+1]].map(r=>r==="page"?e:R(r));return i.map((r,l)=>Math.round(r+(d[l]-r)*(o-a)))}function V(t){for(let e=t;e;e=e.parentElement??e.getRootNode()?.host){let n=getComputedStyle(e).backgroundColor.match(/[\d.]+/g)?.map(Number);if(n&&(n.length<4||n[3]>.5))return n.slice(0,3)}return[255,255,255]}var k=new WeakMap;function y(t){return k.has(t)||k.set(t,I(t)),k.get(t)}function I(t){let e=V(t.parentElement??t),n=T(e)<.179;t.dataset.dark=n;let o=getComputedStyle(t),a=n?"dark":"light",i=r=>o.getPropertyValue(`--${r}`).trim(),d=r=>Object.fromEntries(Object.entries(w).map(([l,s])=>[l,r(s)]));return{page:e,dark:n,font:i("font"),mono:i("mono"),ink:o.color,ink2:i("ink2"),grid:i("grid"),grid2:i("grid2"),hatch:i("hatch"),line:i("line"),brand:i("brand"),goInk:i("go-ink"),error:i("error"),mark:d(({mark:r})=>r),text:d(({ink:r})=>r[a]),weights:r=>M(v.weights[a],e,r),scores:(r,l)=>M(v[r<0?"negative":"positive"][a],e,Math.abs(r)/(l||1))}}function L(t,e,n){let o=()=>{k.delete(t),y(t)},a=()=>{o(),e()},i=()=>{a(),setTimeout(a,300)},d=new MutationObserver(i);for(let p of[document.documentElement,document.body])d.observe(p,{attributes:!0,attributeFilter:["class","data-jp-theme-light","data-jp-theme-name","data-theme"]});let r=-1,l=new ResizeObserver(()=>{t.clientWidth!==r&&(r=t.clientWidth,a())});l.observe(t),t.isConnected&&o();let s=()=>{n.aborted||matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change",()=>{e(),s()},{once:!0,signal:n})};s(),n.addEventListener("abort",()=>{d.disconnect(),l.disconnect()})}function C(t){if([...document.querySelectorAll("style[data-attnlab]")].some(n=>n.textContent===t))return;let e=document.createElement("style");e.dataset.attnlab="",e.textContent=t,document.head.append(e)}function W(){let t=(e,n)=>Object.entries(w).map(([o,a])=>`--${o}${e}: ${n(a)};`).join(" ");return`.attnlab { ${t("",({mark:e})=>e)} ${t("-ink",({ink:e})=>e.light)} }
.attnlab[data-dark="true"] { ${t("-ink",({ink:e})=>e.dark)} }
`}C(W()+j);function O(t,e,n){L(t,e,n),H(t,n)}function H(t,e){let n=o=>{o.key.length===1&&!o.ctrlKey&&!o.metaKey&&t.contains(o.target)&&o.stopPropagation()};window.addEventListener("keydown",n,{capture:!0,signal:e})}function g(t,e=2){if(Number.isNaN(t))return"NaN";if(!Number.isFinite(t))return t<0?"−∞":"∞";let n=K(Math.abs(t),e);return(t<0&&Number(n)!==0?"−":"")+n}function K(t,e){let n=t*10**e;if(n<1e9&&Math.abs(n%1-.5)>1e-6)return t.toFixed(e);let[o,a]=t<1e21?t.toFixed(Math.min(100,e+30)).split("."):[String(t),""];if(!/^50*$/.test(a.slice(e)))return t.toFixed(e);let i=o+a.slice(0,e);return Number(i.at(-1))%2===0?[o,a.slice(0,e)].filter(Boolean).join("."):t.toFixed(e)}C(E);function U(t,e,n){let o=t.reduce((l,s)=>l+s,0)/t.length,a=Math.min(...t),i=Math.max(...t),d=f("svg",{viewBox:"0 0 100 16",preserveAspectRatio:"none","aria-hidden":"true"});d.append(f("rect",{class:"track",width:100,height:12,y:2}),f("rect",{width:100*x(o,0,1),height:12,y:2,fill:e?n.mark[e]:$(n.weights(.5))}),f("line",{class:"range","vector-effect":"non-scaling-stroke",x1:100*a,x2:100*i,y1:8,y2:8}),...[a,i].map(l=>f("line",{class:"range","vector-effect":"non-scaling-stroke",x1:100*l,x2:100*l,y1:4,y2:12})));let r=g(a)===g(i)?"":`${g(a)} to ${g(i)}`;return c("td",{class:"measured"},d,c("span",{class:"bold"},g(o)),c("span",{class:"span"},r))}function _(t,e,n,o){return t===null?c("td",{"aria-label":"not measured"},"–"):Array.isArray(t)?U(t,n,o):typeof t=="number"?c("td",{class:"number"},t.toLocaleString("en")):e?c("th",{scope:"row"},t):c("td",{class:"formula"},t)}function gt({model:t,el:e,signal:n}){e.classList.add("attnlab","attnlab-table");let o=c("table");e.append(o);let{get:a,schedule:i}=F(t,l,n);O(e,i,n);function d(s){let p=t.get("sort")===s;t.set(p?{descending:!t.get("descending")}:{sort:s,descending:typeof a("columns")[s][0]!="string"}),t.save_changes()}function r(s){let p=a("sort")===s,b=a("descending"),u=c("span",{class:"arrow","aria-hidden":"true"},p?b?"↓":"↑":""),m=c("button",{type:"button","data-name":s,title:"sort by it",onclick:()=>d(s)},s,u);return c("th",{scope:"col","aria-sort":p?b?"descending":"ascending":null},m)}function l(){let s=y(e),p=a("columns"),b=Object.keys(p),u=b.filter(h=>p[h].some(Array.isArray)).length;o.classList.toggle("many",u>3);let m=e.contains(document.activeElement)?document.activeElement?.dataset.name:null,S=a("order").map(h=>c("tr",{},...b.map((A,N)=>_(p[A][h],N===0,a("roles")[A],s))));o.replaceChildren(...a("title")?[c("caption",{},a("title"))]:[],c("thead",{},c("tr",{},...b.map(r))),c("tbody",{},...S)),m!==null&&[...o.querySelectorAll("button")].find(h=>h.dataset.name===m)?.focus()}l()}export{gt as render};

var B=`.attnlab-table { overflow-x: auto; container-type: inline-size; }
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
`;var q="http://www.w3.org/2000/svg";function c(t,e={},...n){return F(document.createElement(t),e,n)}function f(t,e={},...n){return F(document.createElementNS(q,t),e,n)}function F(t,e,n){for(let[r,a]of Object.entries(e))r.startsWith("on")?t.addEventListener(r.slice(2),a):a!=null&&a!==!1&&t.setAttribute(r,a===!0?"":a);return t.append(...n),t}function P(t,e,n){t.getAttribute(e)!==String(n)&&t.setAttribute(e,n)}function R(t,e){t.textContent!==e&&(t.textContent=e)}function w(t,...e){let n=[...t.childNodes];e.forEach((r,a)=>{let o=n[a];o?o.nodeName!==r.nodeName?o.replaceWith(r):r instanceof Element?T(o,r):R(o,r.textContent):t.append(r)});for(let r of n.slice(e.length))r.remove()}function T(t,e){for(let{name:n}of[...t.attributes])e.hasAttribute(n)||t.removeAttribute(n);for(let{name:n,value:r}of e.attributes)P(t,n,r);w(t,...e.childNodes)}function D(t,e,n,r=()=>0){let a=null,o=!1,d=0,i=()=>{clearTimeout(d),d=0,!(o||n.aborted)&&(o=!0,requestAnimationFrame(()=>{o=!1,n.aborted||e()}))},p=()=>a&&t.get("sequence")>=a.sequence,l=()=>{p()&&(a=null);let u=r();u?d||=setTimeout(i,u):i()},s=u=>{u?.kind==="answer"&&p()&&l(),u?.kind==="frame"&&(a=u,i())};return t.on("change",l),t.on("msg:custom",s),n.addEventListener("abort",()=>{t.off("change",l),t.off("msg:custom",s)}),{get:u=>a&&u in a.state?a.state[u]:t.get(u),schedule:i}}var h=(t,e,n)=>Math.max(e,Math.min(n,t));var j=`/* One look for every instrument: surfaces and fonts come from Jupyter's theme, roles have theirs from theme.json. */
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
`;var v={query:{mark:"#E69F00",ink:{light:"#8A5A00",dark:"#F0B73D"}},key:{mark:"#56B4E9",ink:{light:"#10659A",dark:"#7CC6F0"}},value:{mark:"#009E73",ink:{light:"#00704F",dark:"#3CC39B"}},context:{mark:"#CC79A7",ink:{light:"#96467A",dark:"#E09CC2"}}};var y={weights:{light:["page","#C8CEE9","#919FD8","#6271BA","#3B4592","#1C215D"],dark:["page","#3C4363","#5C68A4","#8593D2","#B8C2EC","#F0F3FD"]},positive:{light:["page","#C7CEEA","#919ED7","#616FB9","#3A4490"],dark:["page","#3E4567","#606DAB","#8D9AD7","#C3CCEF"]},negative:{light:["page","#EBC6BA","#D38E78","#AE5B41","#7F3117"],dark:["page","#613D32","#A15D48","#D48871","#F2C1B2"]}};var W=t=>[1,3,5].map(e=>parseInt(t.slice(e,e+2),16)),L=t=>`rgb(${t[0]}, ${t[1]}, ${t[2]})`;function I(t){let[e,n,r]=t.map(a=>(a/=255)<=.04045?a/12.92:((a+.055)/1.055)**2.4);return .2126*e+.7152*n+.0722*r}function $(t,e,n){let r=h(n,0,1)*(t.length-1),a=Math.min(t.length-2,Math.floor(r)),[o,d]=[t[a],t[a+1]].map(i=>i==="page"?e:W(i));return o.map((i,p)=>Math.round(i+(d[p]-i)*(r-a)))}function H(t){for(let e=t;e;e=e.parentElement??e.getRootNode()?.host){let n=getComputedStyle(e).backgroundColor.match(/[\d.]+/g)?.map(Number);if(n&&(n.length<4||n[3]>.5))return n.slice(0,3)}return[255,255,255]}var m=new WeakMap;function C(t){return m.has(t)||m.set(t,K(t)),m.get(t)}function K(t){let e=H(t.parentElement??t),n=I(e)<.179;t.dataset.dark=n;let r=getComputedStyle(t),a=n?"dark":"light",o=i=>r.getPropertyValue(`--${i}`).trim(),d=i=>Object.fromEntries(Object.entries(v).map(([p,l])=>[p,i(l)]));return{page:e,dark:n,font:o("font"),mono:o("mono"),ink:r.color,ink2:o("ink2"),grid:o("grid"),grid2:o("grid2"),hatch:o("hatch"),line:o("line"),brand:o("brand"),goInk:o("go-ink"),error:o("error"),mark:d(({mark:i})=>i),text:d(({ink:i})=>i[a]),weights:i=>$(y.weights[a],e,i),scores:(i,p)=>$(y[i<0?"negative":"positive"][a],e,Math.abs(i)/(p||1))}}function N(t,e,n){let r=()=>{m.delete(t),C(t)},a=()=>{r(),e()},o=()=>{a(),setTimeout(a,300)},d=new MutationObserver(o);for(let s of[document.documentElement,document.body])d.observe(s,{attributes:!0,attributeFilter:["class","data-jp-theme-light","data-jp-theme-name","data-theme"]});let i=-1,p=new ResizeObserver(()=>{t.clientWidth!==i&&(i=t.clientWidth,a())});p.observe(t),t.isConnected&&r();let l=()=>{n.aborted||matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change",()=>{e(),l()},{once:!0,signal:n})};l(),n.addEventListener("abort",()=>{d.disconnect(),p.disconnect()})}function A(t){if([...document.querySelectorAll("style[data-attnlab]")].some(n=>n.textContent===t))return;let e=document.createElement("style");e.dataset.attnlab="",e.textContent=t,document.head.append(e)}function U(){let t=(e,n)=>Object.entries(v).map(([r,a])=>`--${r}${e}: ${n(a)};`).join(" ");return`.attnlab { ${t("",({mark:e})=>e)} ${t("-ink",({ink:e})=>e.light)} }
.attnlab[data-dark="true"] { ${t("-ink",({ink:e})=>e.dark)} }
`}A(U()+j);function O(t,e,n){N(t,e,n),_(t,n)}function _(t,e){let n=r=>{r.key.length===1&&!r.ctrlKey&&!r.metaKey&&t.contains(r.target)&&r.stopPropagation()};window.addEventListener("keydown",n,{capture:!0,signal:e})}function g(t,e=2){if(Number.isNaN(t))return"NaN";if(!Number.isFinite(t))return t<0?"−∞":"∞";let n=G(Math.abs(t),e);return(t<0&&Number(n)!==0?"−":"")+n}function G(t,e){let n=t*10**e;if(n<1e9&&Math.abs(n%1-.5)>1e-6)return t.toFixed(e);let[r,a]=t<1e21?t.toFixed(Math.min(100,e+30)).split("."):[String(t),""];if(!/^50*$/.test(a.slice(e)))return t.toFixed(e);let o=r+a.slice(0,e);return Number(o.at(-1))%2===0?[r,a.slice(0,e)].filter(Boolean).join("."):t.toFixed(e)}A(B);function J(t,e,n){let r=t.reduce((s,b)=>s+b,0)/t.length,a=Math.min(...t),o=Math.max(...t),[d,i]=[a,o].map(s=>100*h(s,0,1)),p=f("svg",{viewBox:"0 0 100 16",preserveAspectRatio:"none","aria-hidden":"true"});p.append(f("rect",{class:"track",width:100,height:12,y:2}),f("rect",{width:100*h(r,0,1),height:12,y:2,fill:e?n.mark[e]:L(n.weights(.5))}),f("line",{class:"range","vector-effect":"non-scaling-stroke",x1:d,x2:i,y1:8,y2:8}),...[d,i].map(s=>f("line",{class:"range","vector-effect":"non-scaling-stroke",x1:s,x2:s,y1:4,y2:12})));let l=g(a)===g(o)?"":`${g(a)} to ${g(o)}`;return c("td",{class:"measured"},p,c("span",{class:"bold"},g(r)),c("span",{class:"span"},l))}function Z(t){let e=Math.abs(t)<1?{maximumSignificantDigits:3}:{};return t.toLocaleString("en",e).replace("-","−")}function Q(t,e,n,r){return t===null?c("td",{"aria-label":"not measured"},"–"):Array.isArray(t)?J(t,n,r):typeof t=="number"?c("td",{class:"number"},Z(t)):e?c("th",{scope:"row"},t):c("td",{class:"formula"},t)}function kt({model:t,el:e,signal:n}){e.classList.add("attnlab","attnlab-table");let r=c("table");e.append(r);let{get:a,schedule:o}=D(t,p,n);O(e,o,n);function d(l){let s=t.get("sort")===l;t.set(s?{descending:!t.get("descending")}:{sort:l,descending:typeof a("columns")[l][0]!="string"}),t.save_changes()}function i(l){let s=a("sort")===l,b=a("descending"),u=c("span",{class:"arrow","aria-hidden":"true"},s?b?"↓":"↑":""),x=c("button",{type:"button","data-name":l,title:"sort by it"},l,u);return c("th",{scope:"col","aria-sort":s?b?"descending":"ascending":null},x)}function p(){let l=C(e),s=a("columns"),b=Object.keys(s),u=b.filter(k=>s[k].some(Array.isArray)).length;r.classList.toggle("many",u>3);let x=a("order").map(k=>c("tr",{},...b.map((E,S)=>Q(s[E][k],S===0,a("roles")[E],l))));w(r,...a("title")?[c("caption",{},a("title"))]:[],c("thead",{},c("tr",{},...b.map(i))),c("tbody",{},...x))}r.addEventListener("click",({target:l})=>{let s=l.closest("[data-name]");s&&d(s.dataset.name)}),p()}export{kt as render};

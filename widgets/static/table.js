var F=`.attnlab-table { overflow-x: auto; container-type: inline-size; }
.attnlab-table table { border-collapse: collapse; font: 13px var(--font); font-variant-numeric: tabular-nums; color: var(--ink); margin: 0; }
.attnlab-table caption { position: sticky; left: 0; max-width: 100cqi; text-align: left; font-size: 15px; padding: 0 0 8px; color: var(--ink); caption-side: top; }
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
@container (max-width: 480px) { .attnlab-table tbody th { white-space: normal; } }
@container (max-width: 840px) { .attnlab-table th, .attnlab-table td { padding-right: 12px; } .attnlab-table td svg { width: 48px; } }
`;var _="http://www.w3.org/2000/svg";function l(t,e={},...n){return D(document.createElement(t),e,n)}function f(t,e={},...n){return D(document.createElementNS(_,t),e,n)}function D(t,e,n){for(let[a,o]of Object.entries(e))a.startsWith("on")?t.addEventListener(a.slice(2),o):o!=null&&o!==!1&&t.setAttribute(a,o===!0?"":o);return t.append(...n),t}function I(t,e,n){t.getAttribute(e)!==String(n)&&t.setAttribute(e,n)}function K(t,e){t.textContent!==e&&(t.textContent=e)}function k(t,...e){let n=[...t.childNodes];e.forEach((a,o)=>{let r=n[o];r?r.nodeName!==a.nodeName?r.replaceWith(a):a instanceof Element?W(r,a):K(r,a.textContent):t.append(a)});for(let a of n.slice(e.length))a.remove()}function W(t,e){for(let{name:n}of[...t.attributes])e.hasAttribute(n)||t.removeAttribute(n);for(let{name:n,value:a}of e.attributes)I(t,n,a);k(t,...e.childNodes)}function $(t,e,n){t.addEventListener("click",({target:a})=>{let o=a.closest(`[data-${e}]`);o&&n(o.dataset[e])})}var j=({key:t,shiftKey:e})=>e&&t==="Enter";function y(t,e,n,a){t.on(e,n),a.addEventListener("abort",()=>t.off(e,n),{once:!0})}function O(t,e,n,a=()=>0){let o=null,r=!1,c=0,i=()=>{clearTimeout(c),c=0,!(r||n.aborted)&&(r=!0,requestAnimationFrame(()=>{r=!1,n.aborted||e()}))},d=()=>o&&t.get("sequence")>=o.sequence,s=()=>{d()&&(o=null);let p=a();p?c||=setTimeout(i,p):i()},u=p=>{p?.kind==="answer"&&d()&&s(),p?.kind==="frame"&&(o=p,i())};return y(t,"change",s,n),y(t,"msg:custom",u,n),{get:p=>o&&p in o.state?o.state[p]:t.get(p),schedule:i}}var m=(t,e,n)=>Math.max(e,Math.min(n,t));var T=`/* One look for every instrument: surfaces and fonts come from Jupyter's theme, roles have theirs from theme.json. */
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
`;var v={query:{mark:"#E69F00",ink:{light:"#8A5A00",dark:"#F0B73D"}},key:{mark:"#56B4E9",ink:{light:"#10659A",dark:"#7CC6F0"}},value:{mark:"#009E73",ink:{light:"#00704F",dark:"#3CC39B"}},context:{mark:"#CC79A7",ink:{light:"#96467A",dark:"#E09CC2"}}};var C={weights:{light:["page","#C8CEE9","#919FD8","#6271BA","#3B4592","#1C215D"],dark:["page","#3C4363","#5C68A4","#8593D2","#B8C2EC","#F0F3FD"]},positive:{light:["page","#C7CEEA","#919ED7","#616FB9","#3A4490"],dark:["page","#3E4567","#606DAB","#8D9AD7","#C3CCEF"]},negative:{light:["page","#EBC6BA","#D38E78","#AE5B41","#7F3117"],dark:["page","#613D32","#A15D48","#D48871","#F2C1B2"]}};var H=t=>[1,3,5].map(e=>parseInt(t.slice(e,e+2),16)),L=t=>`rgb(${t[0]}, ${t[1]}, ${t[2]})`;function J(t){let[e,n,a]=t.map(o=>(o/=255)<=.04045?o/12.92:((o+.055)/1.055)**2.4);return .2126*e+.7152*n+.0722*a}function S(t,e,n){let a=m(n,0,1)*(t.length-1),o=Math.min(t.length-2,Math.floor(a)),[r,c]=[t[o],t[o+1]].map(i=>i==="page"?e:H(i));return r.map((i,d)=>Math.round(i+(c[d]-i)*(a-o)))}function U(t){for(let e=t;e;e=e.parentElement??e.getRootNode()?.host){let n=getComputedStyle(e).backgroundColor.match(/[\d.]+/g)?.map(Number);if(n&&(n.length<4||n[3]>.5))return n.slice(0,3)}return[255,255,255]}var x=new WeakMap;function A(t){return x.has(t)||x.set(t,Y(t)),x.get(t)}function Y(t){let e=U(t.parentElement??t),n=J(e)<.179;t.dataset.dark=n;let a=getComputedStyle(t),o=n?"dark":"light",r=i=>a.getPropertyValue(`--${i}`).trim(),c=i=>Object.fromEntries(Object.entries(v).map(([d,s])=>[d,i(s)]));return{page:e,dark:n,font:r("font"),mono:r("mono"),ink:a.color,ink2:r("ink2"),grid:r("grid"),grid2:r("grid2"),hatch:r("hatch"),line:r("line"),brand:r("brand"),goInk:r("go-ink"),error:r("error"),mark:c(({mark:i})=>i),text:c(({ink:i})=>i[o]),weights:i=>S(C.weights[o],e,i),scores:(i,d)=>S(C[i<0?"negative":"positive"][o],e,Math.abs(i)/(d||1))}}function z(t,e,n){let a=()=>{x.delete(t),A(t)},o=()=>{a(),e()},r=()=>{o(),setTimeout(o,300)},c=new MutationObserver(r);for(let u of[document.documentElement,document.body])c.observe(u,{attributes:!0,attributeFilter:["class","data-jp-theme-light","data-jp-theme-name","data-theme"]});for(let u of["(forced-colors: active)","(prefers-color-scheme: dark)"])matchMedia(u).addEventListener("change",r,{signal:n});let i=-1,d=new ResizeObserver(()=>{t.clientWidth!==i&&(i=t.clientWidth,o())});d.observe(t),t.isConnected&&a();let s=()=>{n.aborted||matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change",()=>{e(),s()},{once:!0,signal:n})};s(),n.addEventListener("abort",()=>{c.disconnect(),d.disconnect()})}function E(t){if([...document.querySelectorAll("style[data-attnlab]")].some(n=>n.textContent===t))return;let e=document.createElement("style");e.dataset.attnlab="",e.textContent=t,document.head.append(e)}function G(){let t=(e,n)=>Object.entries(v).map(([a,o])=>`--${a}${e}: ${n(o)};`).join(" ");return`.attnlab { ${t("",({mark:e})=>e)} ${t("-ink",({ink:e})=>e.light)} }
.attnlab[data-dark="true"] { ${t("-ink",({ink:e})=>e.dark)} }
`}E(G()+T);var Z=/^(.|Arrow\w+|Page\w+|Home|End|Enter|Escape)$/u;function P(t,e,n){z(t,e,n),Q(t,n)}function Q(t,e){let n=a=>{!(a.ctrlKey||a.metaKey||a.altKey||j(a))&&Z.test(a.key)&&t.contains(a.target)&&a.stopPropagation()};window.addEventListener("keydown",n,{capture:!0,signal:e})}function h(t,e=2){if(Number.isNaN(t))return"NaN";if(!Number.isFinite(t))return t<0?"−∞":"∞";let n=X(Math.abs(t),e);return(t<0&&Number(n)!==0?"−":"")+n}function X(t,e){let n=t*10**e;if(n<1e9&&Math.abs(n%1-.5)>1e-6)return t.toFixed(e);let[a,o]=t<1e21?t.toFixed(Math.min(100,e+30)).split("."):[String(t),""];if(!/^50*$/.test(o.slice(e)))return t.toFixed(e);let r=a+o.slice(0,e);return Number(r.at(-1))%2===0?[a,o.slice(0,e)].filter(Boolean).join("."):t.toFixed(e)}E(F);var tt=t=>Math.max(1,...t.flatMap(e=>Array.isArray(e)?e:[]));function et(t,e,n,a){let o=t.reduce((b,p)=>b+p,0)/t.length,r=Math.min(...t),c=Math.max(...t),[i,d]=[r,c].map(b=>100*m(b/e,0,1)),s=f("svg",{viewBox:"0 0 100 16",preserveAspectRatio:"none","aria-hidden":"true"});s.append(f("rect",{class:"track",width:100,height:12,y:2}),f("rect",{width:100*m(o/e,0,1),height:12,y:2,fill:n?a.mark[n]:L(a.weights(.5))}),f("line",{class:"range","vector-effect":"non-scaling-stroke",x1:i,x2:d,y1:8,y2:8}),...[i,d].map(b=>f("line",{class:"range","vector-effect":"non-scaling-stroke",x1:b,x2:b,y1:4,y2:12})));let u=h(r)===h(c)?"":`${h(r)} to ${h(c)}`;return l("td",{class:"measured"},s,l("span",{class:"bold"},h(o)),l("span",{class:"span"},u))}function nt(t){let e=Math.abs(t)<1?{maximumSignificantDigits:3}:{};return t.toLocaleString("en",e).replace("-","−")}function ot(t,e,n,a,o){return t===null?l("td",{"aria-label":"not measured"},"–"):Array.isArray(t)?et(t,n,a,o):typeof t=="number"?l("td",{class:"number"},nt(t)):e?l("th",{scope:"row"},t):l("td",{class:"formula"},t)}function Ft({model:t,el:e,signal:n}){e.classList.add("attnlab","attnlab-table");let a=l("table");e.append(a);let{get:o,schedule:r}=O(t,d,n);P(e,r,n);function c(s){let u=t.get("sort")===s;t.set(u?{descending:!t.get("descending")}:{sort:s,descending:typeof o("columns")[s][0]!="string"}),t.save_changes()}function i(s){let u=o("sort")===s,b=o("descending"),p=l("span",{class:"arrow","aria-hidden":"true"},u?b?"↓":"↑":""),w=l("button",{type:"button","data-name":s,title:"sort by it"},s,p);return l("th",{scope:"col","aria-sort":u?b?"descending":"ascending":null},w)}function d(){let s=A(e),u=o("columns"),b=Object.keys(u),p=b.filter(g=>u[g].some(Array.isArray)).length;a.classList.toggle("many",p>3);let w=b.map(g=>tt(u[g])),q=o("order").map(g=>l("tr",{},...b.map((M,B)=>ot(u[M][g],B===0,w[B],o("roles")[M],s))));k(a,...o("title")?[l("caption",{},o("title"))]:[],l("thead",{},l("tr",{},...b.map(i))),l("tbody",{},...q))}$(a,"name",c),d()}export{Ft as render};

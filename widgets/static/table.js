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
`;var _="http://www.w3.org/2000/svg";function u(t,e={},...n){return D(document.createElement(t),e,n)}function f(t,e={},...n){return D(document.createElementNS(_,t),e,n)}function D(t,e,n){for(let[o,a]of Object.entries(e))o.startsWith("on")?t.addEventListener(o.slice(2),a):a!=null&&a!==!1&&t.setAttribute(o,a===!0?"":a);return t.append(...n),t}function I(t,e,n){t.getAttribute(e)!==String(n)&&t.setAttribute(e,n)}function K(t,e){t.textContent!==e&&(t.textContent=e)}function k(t,...e){let n=[...t.childNodes];e.forEach((o,a)=>{let r=n[a];r?r.nodeName!==o.nodeName?r.replaceWith(o):o instanceof Element?W(r,o):K(r,o.textContent):t.append(o)});for(let o of n.slice(e.length))o.remove()}function W(t,e){for(let{name:n}of[...t.attributes])e.hasAttribute(n)||t.removeAttribute(n);for(let{name:n,value:o}of e.attributes)I(t,n,o);k(t,...e.childNodes)}function $(t,e,n){t.addEventListener("click",({target:o})=>{let a=o.closest(`[data-${e}]`);a&&n(a.dataset[e])})}var j=({key:t,shiftKey:e})=>e&&t==="Enter";function y(t,e,n,o){t.on(e,n),o.addEventListener("abort",()=>t.off(e,n),{once:!0})}function O(t,e,n,o=()=>0){let a=null,r=!1,i=0,l=()=>{clearTimeout(i),i=0,!(r||n.aborted)&&(r=!0,requestAnimationFrame(()=>{r=!1,n.aborted||e()}))},s=()=>a&&t.get("sequence")>=a.sequence,c=()=>{s()&&(a=null);let p=o();p?i||=setTimeout(l,p):l()},d=p=>{p?.kind==="answer"&&s()&&c(),p?.kind==="frame"&&(a=p,l())};return y(t,"change",c,n),y(t,"msg:custom",d,n),{get:p=>a&&p in a.state?a.state[p]:t.get(p),schedule:l}}var g=(t,e,n)=>Math.max(e,Math.min(n,t));var T=`/* One look for every instrument: surfaces and fonts come from Jupyter's theme, roles have theirs from theme.json. */
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
`;var v={query:{mark:"#E69F00",ink:{light:"#8A5A00",dark:"#F0B73D"}},key:{mark:"#56B4E9",ink:{light:"#10659A",dark:"#7CC6F0"}},value:{mark:"#009E73",ink:{light:"#00704F",dark:"#3CC39B"}},context:{mark:"#CC79A7",ink:{light:"#96467A",dark:"#E09CC2"}}};var C={weights:{light:["page","#C8CEE9","#919FD8","#6271BA","#3B4592","#1C215D"],dark:["page","#3C4363","#5C68A4","#8593D2","#B8C2EC","#F0F3FD"]},positive:{light:["page","#C7CEEA","#919ED7","#616FB9","#3A4490"],dark:["page","#3E4567","#606DAB","#8D9AD7","#C3CCEF"]},negative:{light:["page","#EBC6BA","#D38E78","#AE5B41","#7F3117"],dark:["page","#613D32","#A15D48","#D48871","#F2C1B2"]}};var H=t=>[1,3,5].map(e=>parseInt(t.slice(e,e+2),16)),L=t=>`rgb(${t[0]}, ${t[1]}, ${t[2]})`;function J(t){let[e,n,o]=t.map(a=>(a/=255)<=.04045?a/12.92:((a+.055)/1.055)**2.4);return .2126*e+.7152*n+.0722*o}function S(t,e,n){let o=g(n,0,1)*(t.length-1),a=Math.min(t.length-2,Math.floor(o)),[r,i]=[t[a],t[a+1]].map(l=>l==="page"?e:H(l));return r.map((l,s)=>Math.round(l+(i[s]-l)*(o-a)))}function U(t){for(let e=t;e;e=e.parentElement??e.getRootNode()?.host){let n=getComputedStyle(e).backgroundColor.match(/[\d.]+/g)?.map(Number);if(n&&(n.length<4||n[3]>.5))return n.slice(0,3)}return[255,255,255]}var x=new WeakMap;function A(t){return x.has(t)||x.set(t,Y(t)),x.get(t)}function Y(t){let e=U(t.parentElement??t),n=J(e)<.179;t.dataset.dark=n;let o=getComputedStyle(t),a=matchMedia("(forced-colors: active)").matches,r=n?"dark":"light",i=s=>o.getPropertyValue(`--${s}`).trim(),l=s=>Object.fromEntries(Object.entries(v).map(([c,d])=>[c,s(d)]));return{page:e,dark:n,font:i("font"),mono:i("mono"),ink:o.color,ink2:a?o.color:i("ink2"),grid:i("grid"),grid2:i("grid2"),hatch:i("hatch"),line:i("line"),brand:i("brand"),goInk:i("go-ink"),error:i("error"),mark:l(({mark:s})=>s),text:l(({ink:s})=>s[r]),weights:s=>S(C.weights[r],e,s),scores:(s,c)=>S(C[s<0?"negative":"positive"][r],e,Math.abs(s)/(c||1))}}function z(t,e,n){let o=()=>{x.delete(t),A(t)},a=()=>{o(),e()},r=()=>{a(),setTimeout(a,300)},i=new MutationObserver(r);for(let d of[document.documentElement,document.body])i.observe(d,{attributes:!0,attributeFilter:["class","data-jp-theme-light","data-jp-theme-name","data-theme"]});for(let d of["(forced-colors: active)","(prefers-color-scheme: dark)"])matchMedia(d).addEventListener("change",r,{signal:n});let l=-1,s=new ResizeObserver(()=>{t.clientWidth!==l&&(l=t.clientWidth,a())});s.observe(t),t.isConnected&&o();let c=()=>{n.aborted||matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change",()=>{e(),c()},{once:!0,signal:n})};c(),n.addEventListener("abort",()=>{i.disconnect(),s.disconnect()})}function E(t){if([...document.querySelectorAll("style[data-attnlab]")].some(n=>n.textContent===t))return;let e=document.createElement("style");e.dataset.attnlab="",e.textContent=t,document.head.append(e)}function G(){let t=(e,n)=>Object.entries(v).map(([o,a])=>`--${o}${e}: ${n(a)};`).join(" ");return`.attnlab { ${t("",({mark:e})=>e)} ${t("-ink",({ink:e})=>e.light)} }
.attnlab[data-dark="true"] { ${t("-ink",({ink:e})=>e.dark)} }
`}E(G()+T);var Z=/^(.|Arrow\w+|Page\w+|Home|End|Enter|Escape)$/u;function P(t,e,n){z(t,e,n),Q(t,n)}function Q(t,e){let n=o=>{!(o.ctrlKey||o.metaKey||o.altKey||j(o))&&Z.test(o.key)&&t.contains(o.target)&&o.stopPropagation()};window.addEventListener("keydown",n,{capture:!0,signal:e})}function h(t,e=2){if(Number.isNaN(t))return"NaN";if(!Number.isFinite(t))return t<0?"−∞":"∞";let n=X(Math.abs(t),e);return(t<0&&Number(n)!==0?"−":"")+n}function X(t,e){let n=t*10**e;if(n<1e9&&Math.abs(n%1-.5)>1e-6)return t.toFixed(e);let[o,a]=t<1e21?t.toFixed(Math.min(100,e+30)).split("."):[String(t),""];if(!/^50*$/.test(a.slice(e)))return t.toFixed(e);let r=o+a.slice(0,e);return Number(r.at(-1))%2===0?[o,a.slice(0,e)].filter(Boolean).join("."):t.toFixed(e)}E(F);var tt=t=>Math.max(1,...t.flatMap(e=>Array.isArray(e)?e:[]));function et(t,e,n,o){let a=t.reduce((b,p)=>b+p,0)/t.length,r=Math.min(...t),i=Math.max(...t),[l,s]=[r,i].map(b=>100*g(b/e,0,1)),c=f("svg",{viewBox:"0 0 100 16",preserveAspectRatio:"none","aria-hidden":"true"});c.append(f("rect",{class:"track",width:100,height:12,y:2}),f("rect",{width:100*g(a/e,0,1),height:12,y:2,fill:n?o.mark[n]:L(o.weights(.5))}),f("line",{class:"range","vector-effect":"non-scaling-stroke",x1:l,x2:s,y1:8,y2:8}),...[l,s].map(b=>f("line",{class:"range","vector-effect":"non-scaling-stroke",x1:b,x2:b,y1:4,y2:12})));let d=h(r)===h(i)?"":`${h(r)} to ${h(i)}`;return u("td",{class:"measured"},c,u("span",{class:"bold"},h(a)),u("span",{class:"span"},d))}function nt(t){let e=Math.abs(t)<1?{maximumSignificantDigits:3}:{};return t.toLocaleString("en",e).replace("-","−")}function ot(t,e,n,o,a){return t===null?u("td",{"aria-label":"not measured"},"–"):Array.isArray(t)?et(t,n,o,a):typeof t=="number"?u("td",{class:"number"},nt(t)):e?u("th",{scope:"row"},t):u("td",{class:"formula"},t)}function Ft({model:t,el:e,signal:n}){e.classList.add("attnlab","attnlab-table");let o=u("table");e.append(o);let{get:a,schedule:r}=O(t,s,n);P(e,r,n);function i(c){let d=t.get("sort")===c;t.set(d?{descending:!t.get("descending")}:{sort:c,descending:typeof a("columns")[c][0]!="string"}),t.save_changes()}function l(c){let d=a("sort")===c,b=a("descending"),p=u("span",{class:"arrow","aria-hidden":"true"},d?b?"↓":"↑":""),w=u("button",{type:"button","data-name":c,title:"sort by it"},c,p);return u("th",{scope:"col","aria-sort":d?b?"descending":"ascending":null},w)}function s(){let c=A(e),d=a("columns"),b=Object.keys(d),p=b.filter(m=>d[m].some(Array.isArray)).length;o.classList.toggle("many",p>3);let w=b.map(m=>tt(d[m])),q=a("order").map(m=>u("tr",{},...b.map((M,B)=>ot(d[M][m],B===0,w[B],a("roles")[M],c))));k(o,...a("title")?[u("caption",{},a("title"))]:[],u("thead",{},u("tr",{},...b.map(l))),u("tbody",{},...q))}$(o,"name",i),s()}export{Ft as render};

var F=`.attnlab-table { overflow-x: auto; container-type: inline-size; }
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
`;var q="http://www.w3.org/2000/svg";function l(t,e={},...n){return D(document.createElement(t),e,n)}function f(t,e={},...n){return D(document.createElementNS(q,t),e,n)}function D(t,e,n){for(let[o,r]of Object.entries(e))o.startsWith("on")?t.addEventListener(o.slice(2),r):r!=null&&r!==!1&&t.setAttribute(o,r===!0?"":r);return t.append(...n),t}function R(t,e,n){t.getAttribute(e)!==String(n)&&t.setAttribute(e,n)}function W(t,e){t.textContent!==e&&(t.textContent=e)}function k(t,...e){let n=[...t.childNodes];e.forEach((o,r)=>{let a=n[r];a?a.nodeName!==o.nodeName?a.replaceWith(o):o instanceof Element?_(a,o):W(a,o.textContent):t.append(o)});for(let o of n.slice(e.length))o.remove()}function _(t,e){for(let{name:n}of[...t.attributes])e.hasAttribute(n)||t.removeAttribute(n);for(let{name:n,value:o}of e.attributes)R(t,n,o);k(t,...e.childNodes)}function M(t,e,n){t.addEventListener("click",({target:o})=>{let r=o.closest(`[data-${e}]`);r&&n(r.dataset[e])})}function v(t,e,n,o){t.on(e,n),o.addEventListener("abort",()=>t.off(e,n),{once:!0})}function $(t,e,n,o=()=>0){let r=null,a=!1,d=0,i=()=>{clearTimeout(d),d=0,!(a||n.aborted)&&(a=!0,requestAnimationFrame(()=>{a=!1,n.aborted||e()}))},u=()=>r&&t.get("sequence")>=r.sequence,s=()=>{u()&&(r=null);let p=o();p?d||=setTimeout(i,p):i()},c=p=>{p?.kind==="answer"&&u()&&s(),p?.kind==="frame"&&(r=p,i())};return v(t,"change",s,n),v(t,"msg:custom",c,n),{get:p=>r&&p in r.state?r.state[p]:t.get(p),schedule:i}}var g=(t,e,n)=>Math.max(e,Math.min(n,t));var j=`/* One look for every instrument: surfaces and fonts come from Jupyter's theme, roles have theirs from theme.json. */
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
`;var y={query:{mark:"#E69F00",ink:{light:"#8A5A00",dark:"#F0B73D"}},key:{mark:"#56B4E9",ink:{light:"#10659A",dark:"#7CC6F0"}},value:{mark:"#009E73",ink:{light:"#00704F",dark:"#3CC39B"}},context:{mark:"#CC79A7",ink:{light:"#96467A",dark:"#E09CC2"}}};var A={weights:{light:["page","#C8CEE9","#919FD8","#6271BA","#3B4592","#1C215D"],dark:["page","#3C4363","#5C68A4","#8593D2","#B8C2EC","#F0F3FD"]},positive:{light:["page","#C7CEEA","#919ED7","#616FB9","#3A4490"],dark:["page","#3E4567","#606DAB","#8D9AD7","#C3CCEF"]},negative:{light:["page","#EBC6BA","#D38E78","#AE5B41","#7F3117"],dark:["page","#613D32","#A15D48","#D48871","#F2C1B2"]}};var V=t=>[1,3,5].map(e=>parseInt(t.slice(e,e+2),16)),N=t=>`rgb(${t[0]}, ${t[1]}, ${t[2]})`;function H(t){let[e,n,o]=t.map(r=>(r/=255)<=.04045?r/12.92:((r+.055)/1.055)**2.4);return .2126*e+.7152*n+.0722*o}function L(t,e,n){let o=g(n,0,1)*(t.length-1),r=Math.min(t.length-2,Math.floor(o)),[a,d]=[t[r],t[r+1]].map(i=>i==="page"?e:V(i));return a.map((i,u)=>Math.round(i+(d[u]-i)*(o-r)))}function K(t){for(let e=t;e;e=e.parentElement??e.getRootNode()?.host){let n=getComputedStyle(e).backgroundColor.match(/[\d.]+/g)?.map(Number);if(n&&(n.length<4||n[3]>.5))return n.slice(0,3)}return[255,255,255]}var m=new WeakMap;function C(t){return m.has(t)||m.set(t,U(t)),m.get(t)}function U(t){let e=K(t.parentElement??t),n=H(e)<.179;t.dataset.dark=n;let o=getComputedStyle(t),r=n?"dark":"light",a=i=>o.getPropertyValue(`--${i}`).trim(),d=i=>Object.fromEntries(Object.entries(y).map(([u,s])=>[u,i(s)]));return{page:e,dark:n,font:a("font"),mono:a("mono"),ink:o.color,ink2:a("ink2"),grid:a("grid"),grid2:a("grid2"),hatch:a("hatch"),line:a("line"),brand:a("brand"),goInk:a("go-ink"),error:a("error"),mark:d(({mark:i})=>i),text:d(({ink:i})=>i[r]),weights:i=>L(A.weights[r],e,i),scores:(i,u)=>L(A[i<0?"negative":"positive"][r],e,Math.abs(i)/(u||1))}}function S(t,e,n){let o=()=>{m.delete(t),C(t)},r=()=>{o(),e()},a=()=>{r(),setTimeout(r,300)},d=new MutationObserver(a);for(let c of[document.documentElement,document.body])d.observe(c,{attributes:!0,attributeFilter:["class","data-jp-theme-light","data-jp-theme-name","data-theme"]});let i=-1,u=new ResizeObserver(()=>{t.clientWidth!==i&&(i=t.clientWidth,r())});u.observe(t),t.isConnected&&o();let s=()=>{n.aborted||matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change",()=>{e(),s()},{once:!0,signal:n})};s(),n.addEventListener("abort",()=>{d.disconnect(),u.disconnect()})}function E(t){if([...document.querySelectorAll("style[data-attnlab]")].some(n=>n.textContent===t))return;let e=document.createElement("style");e.dataset.attnlab="",e.textContent=t,document.head.append(e)}function G(){let t=(e,n)=>Object.entries(y).map(([o,r])=>`--${o}${e}: ${n(r)};`).join(" ");return`.attnlab { ${t("",({mark:e})=>e)} ${t("-ink",({ink:e})=>e.light)} }
.attnlab[data-dark="true"] { ${t("-ink",({ink:e})=>e.dark)} }
`}E(G()+j);function z(t,e,n){S(t,e,n),J(t,n)}function J(t,e){let n=o=>{o.key.length===1&&!o.ctrlKey&&!o.metaKey&&t.contains(o.target)&&o.stopPropagation()};window.addEventListener("keydown",n,{capture:!0,signal:e})}function h(t,e=2){if(Number.isNaN(t))return"NaN";if(!Number.isFinite(t))return t<0?"−∞":"∞";let n=Y(Math.abs(t),e);return(t<0&&Number(n)!==0?"−":"")+n}function Y(t,e){let n=t*10**e;if(n<1e9&&Math.abs(n%1-.5)>1e-6)return t.toFixed(e);let[o,r]=t<1e21?t.toFixed(Math.min(100,e+30)).split("."):[String(t),""];if(!/^50*$/.test(r.slice(e)))return t.toFixed(e);let a=o+r.slice(0,e);return Number(a.at(-1))%2===0?[o,r.slice(0,e)].filter(Boolean).join("."):t.toFixed(e)}E(F);function Z(t,e,n){let o=t.reduce((c,b)=>c+b,0)/t.length,r=Math.min(...t),a=Math.max(...t),[d,i]=[r,a].map(c=>100*g(c,0,1)),u=f("svg",{viewBox:"0 0 100 16",preserveAspectRatio:"none","aria-hidden":"true"});u.append(f("rect",{class:"track",width:100,height:12,y:2}),f("rect",{width:100*g(o,0,1),height:12,y:2,fill:e?n.mark[e]:N(n.weights(.5))}),f("line",{class:"range","vector-effect":"non-scaling-stroke",x1:d,x2:i,y1:8,y2:8}),...[d,i].map(c=>f("line",{class:"range","vector-effect":"non-scaling-stroke",x1:c,x2:c,y1:4,y2:12})));let s=h(r)===h(a)?"":`${h(r)} to ${h(a)}`;return l("td",{class:"measured"},u,l("span",{class:"bold"},h(o)),l("span",{class:"span"},s))}function Q(t){let e=Math.abs(t)<1?{maximumSignificantDigits:3}:{};return t.toLocaleString("en",e).replace("-","−")}function X(t,e,n,o){return t===null?l("td",{"aria-label":"not measured"},"–"):Array.isArray(t)?Z(t,n,o):typeof t=="number"?l("td",{class:"number"},Q(t)):e?l("th",{scope:"row"},t):l("td",{class:"formula"},t)}function At({model:t,el:e,signal:n}){e.classList.add("attnlab","attnlab-table");let o=l("table");e.append(o);let{get:r,schedule:a}=$(t,u,n);z(e,a,n);function d(s){let c=t.get("sort")===s;t.set(c?{descending:!t.get("descending")}:{sort:s,descending:typeof r("columns")[s][0]!="string"}),t.save_changes()}function i(s){let c=r("sort")===s,b=r("descending"),p=l("span",{class:"arrow","aria-hidden":"true"},c?b?"↓":"↑":""),x=l("button",{type:"button","data-name":s,title:"sort by it"},s,p);return l("th",{scope:"col","aria-sort":c?b?"descending":"ascending":null},x)}function u(){let s=C(e),c=r("columns"),b=Object.keys(c),p=b.filter(w=>c[w].some(Array.isArray)).length;o.classList.toggle("many",p>3);let x=r("order").map(w=>l("tr",{},...b.map((B,P)=>X(c[B][w],P===0,r("roles")[B],s))));k(o,...r("title")?[l("caption",{},r("title"))]:[],l("thead",{},l("tr",{},...b.map(i))),l("tbody",{},...x))}M(o,"name",d),u()}export{At as render};

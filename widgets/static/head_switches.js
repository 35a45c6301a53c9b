var k=`.attnlab-switchboard .line { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; margin: 0 0 8px; }
.attnlab-switchboard .row { flex: 0 0 56px; color: var(--ink2); font-size: 12px; }
.attnlab.attnlab-switchboard button.switch {
  flex: 1 1 110px; min-width: 0; max-width: 210px; height: auto; min-height: 44px; padding: 4px 10px; display: flex; flex-direction: column;
  align-items: stretch; gap: 0; text-align: left; line-height: 18px; background: var(--bg); border: 1px solid var(--grid2);
  border-left: 4px solid var(--brand);
}
.attnlab-switchboard .top { display: flex; justify-content: space-between; gap: 8px; }
.attnlab-switchboard .name { font-weight: 600; }
.attnlab-switchboard .state { font-size: 12px; color: var(--ink2); }
.attnlab-switchboard .note { font-size: 12px; color: var(--ink2); overflow: hidden; text-overflow: ellipsis; }
.attnlab.attnlab-switchboard button.off {
  border-left-color: var(--grid2);
  background: repeating-linear-gradient(-45deg, transparent 0 4px, var(--grid) 4px 6px);
}
.attnlab-switchboard .off :is(.name, .note) { text-decoration: line-through; }
`;function f(t,e={},...n){return M(document.createElement(t),e,n)}function M(t,e,n){for(let[a,o]of Object.entries(e))a.startsWith("on")?t.addEventListener(a.slice(2),o):o!=null&&o!==!1&&t.setAttribute(a,o===!0?"":o);return t.append(...n),t}function w(t,e,n,a=()=>0){let o=null,i=!1,p=0,r=()=>{clearTimeout(p),p=0,!(i||n.aborted)&&(i=!0,requestAnimationFrame(()=>{i=!1,n.aborted||e()}))},s=()=>o&&t.get("sequence")>=o.sequence,c=()=>{s()&&(o=null);let l=a();l?p||=setTimeout(r,l):r()},d=l=>{l?.kind==="answer"&&s()&&c(),l?.kind==="frame"&&(o=l,r())};return t.on("change",c),t.on("msg:custom",d),n.addEventListener("abort",()=>{t.off("change",c),t.off("msg:custom",d)}),{get:l=>o&&l in o.state?o.state[l]:t.get(l),schedule:r}}var v=`/* One look for every instrument: surfaces and fonts come from Jupyter's theme, roles have theirs from theme.json. */
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
`;var h={query:{mark:"#E69F00",ink:{light:"#8A5A00",dark:"#F0B73D"}},key:{mark:"#56B4E9",ink:{light:"#10659A",dark:"#7CC6F0"}},value:{mark:"#009E73",ink:{light:"#00704F",dark:"#3CC39B"}},context:{mark:"#CC79A7",ink:{light:"#96467A",dark:"#E09CC2"}}};var m={weights:{light:["page","#C8CEE9","#919FD8","#6271BA","#3B4592","#1C215D"],dark:["page","#3C4363","#5C68A4","#8593D2","#B8C2EC","#F0F3FD"]},positive:{light:["page","#C7CEEA","#919ED7","#616FB9","#3A4490"],dark:["page","#3E4567","#606DAB","#8D9AD7","#C3CCEF"]},negative:{light:["page","#EBC6BA","#D38E78","#AE5B41","#7F3117"],dark:["page","#613D32","#A15D48","#D48871","#F2C1B2"]}};var C=(t,e,n)=>Math.max(e,Math.min(n,t));var L=t=>[1,3,5].map(e=>parseInt(t.slice(e,e+2),16));function S(t){let[e,n,a]=t.map(o=>(o/=255)<=.04045?o/12.92:((o+.055)/1.055)**2.4);return .2126*e+.7152*n+.0722*a}function E(t,e,n){let a=C(n,0,1)*(t.length-1),o=Math.min(t.length-2,Math.floor(a)),[i,p]=[t[o],t[o+1]].map(r=>r==="page"?e:L(r));return i.map((r,s)=>Math.round(r+(p[s]-r)*(a-o)))}function q(t){for(let e=t;e;e=e.parentElement??e.getRootNode()?.host){let n=getComputedStyle(e).backgroundColor.match(/[\d.]+/g)?.map(Number);if(n&&(n.length<4||n[3]>.5))return n.slice(0,3)}return[255,255,255]}var g=new WeakMap;function A(t){return g.has(t)||g.set(t,z(t)),g.get(t)}function z(t){let e=q(t.parentElement??t),n=S(e)<.179;t.dataset.dark=n;let a=getComputedStyle(t),o=n?"dark":"light",i=r=>a.getPropertyValue(`--${r}`).trim(),p=r=>Object.fromEntries(Object.entries(h).map(([s,c])=>[s,r(c)]));return{page:e,dark:n,font:i("font"),mono:i("mono"),ink:a.color,ink2:i("ink2"),grid:i("grid"),grid2:i("grid2"),hatch:i("hatch"),line:i("line"),brand:i("brand"),goInk:i("go-ink"),error:i("error"),mark:p(({mark:r})=>r),text:p(({ink:r})=>r[o]),weights:r=>E(m.weights[o],e,r),scores:(r,s)=>E(m[r<0?"negative":"positive"][o],e,Math.abs(r)/(s||1))}}function B(t,e,n){let a=()=>{g.delete(t),e()},o=()=>{a(),setTimeout(a,300)},i=new MutationObserver(o);for(let c of[document.documentElement,document.body])i.observe(c,{attributes:!0,attributeFilter:["class","data-jp-theme-light","data-jp-theme-name","data-theme"]});let p=-1,r=new ResizeObserver(()=>{t.clientWidth!==p&&(p=t.clientWidth,a())});r.observe(t);let s=()=>{n.aborted||matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change",()=>{e(),s()},{once:!0,signal:n})};s(),n.addEventListener("abort",()=>{i.disconnect(),r.disconnect()})}function x(t){if([...document.querySelectorAll("style[data-attnlab]")].some(n=>n.textContent===t))return;let e=document.createElement("style");e.dataset.attnlab="",e.textContent=t,document.head.append(e)}function P(){let t=(e,n)=>Object.entries(h).map(([a,o])=>`--${a}${e}: ${n(o)};`).join(" ");return`.attnlab { ${t("",({mark:e})=>e)} ${t("-ink",({ink:e})=>e.light)} }
.attnlab[data-dark="true"] { ${t("-ink",({ink:e})=>e.dark)} }
`}x(P()+v);function D(t,e,n){B(t,e,n),T(t,n)}function T(t,e){let n=a=>{a.key.length===1&&!a.ctrlKey&&!a.metaKey&&t.contains(a.target)&&a.stopPropagation()};window.addEventListener("keydown",n,{capture:!0,signal:e})}x(k);function nt({model:t,el:e,signal:n}){e.classList.add("attnlab","attnlab-switchboard");let{get:a,schedule:o}=w(t,r,n);D(e,o,n);function i(s){let c=t.get("off");t.set("off",c.includes(s)?c.filter(d=>d!==s):[...c,s].sort((d,u)=>d-u)),t.save_changes(),r()}function p(s,c,d,u,l){let b=l?"off":"on";return f("button",{type:"button",class:`switch ${b}`,"data-head":d,"aria-pressed":String(!l),"aria-label":`${s?`${s}, `:""}head ${c}: ${u}`,title:l?"switch it on again":"switch it off",onclick:()=>i(d)},f("span",{class:"top"},f("span",{class:"name"},`head ${c}`),f("span",{class:"state"},b)),f("span",{class:"note"},u))}function r(){A(e);let s=e.contains(document.activeElement)?document.activeElement.dataset.head:null,c=new Set(a("off")),d=a("rows"),u=0;e.replaceChildren(...a("notes").map((l,b)=>f("div",{class:"line",role:"group","aria-label":d[b]||"heads"},...d[b]?[f("span",{class:"row"},d[b])]:[],...l.map((j,F)=>p(d[b],F,u,j,c.has(u++)))))),s!==null&&e.querySelector(`[data-head="${s}"]`)?.focus()}r()}export{nt as render};

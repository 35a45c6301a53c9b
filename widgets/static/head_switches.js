var w=`.attnlab-switchboard .line { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; margin: 0 0 8px; }
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
`;function u(t,e={},...n){return M(document.createElement(t),e,n)}function M(t,e,n){for(let[a,o]of Object.entries(e))a.startsWith("on")?t.addEventListener(a.slice(2),o):o!=null&&o!==!1&&t.setAttribute(a,o===!0?"":o);return t.append(...n),t}function v(t,e,n,a=()=>0){let o=null,s=!1,p=0,r=()=>{clearTimeout(p),p=0,!(s||n.aborted)&&(s=!0,requestAnimationFrame(()=>{s=!1,n.aborted||e()}))},i=()=>o&&t.get("sequence")>=o.sequence,c=()=>{i()&&(o=null);let d=a();d?p||=setTimeout(r,d):r()},l=d=>{d?.kind==="answer"&&i()&&c(),d?.kind==="frame"&&(o=d,r())};return t.on("change",c),t.on("msg:custom",l),n.addEventListener("abort",()=>{t.off("change",c),t.off("msg:custom",l)}),{get:d=>o&&d in o.state?o.state[d]:t.get(d),schedule:r}}var y=`/* One look for every instrument: surfaces and fonts come from Jupyter's theme, roles have theirs from theme.json. */
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
`;var h={query:{mark:"#E69F00",ink:{light:"#8A5A00",dark:"#F0B73D"}},key:{mark:"#56B4E9",ink:{light:"#10659A",dark:"#7CC6F0"}},value:{mark:"#009E73",ink:{light:"#00704F",dark:"#3CC39B"}},context:{mark:"#CC79A7",ink:{light:"#96467A",dark:"#E09CC2"}}};var m={weights:{light:["page","#C8CEE9","#919FD8","#6271BA","#3B4592","#1C215D"],dark:["page","#3C4363","#5C68A4","#8593D2","#B8C2EC","#F0F3FD"]},positive:{light:["page","#C7CEEA","#919ED7","#616FB9","#3A4490"],dark:["page","#3E4567","#606DAB","#8D9AD7","#C3CCEF"]},negative:{light:["page","#EBC6BA","#D38E78","#AE5B41","#7F3117"],dark:["page","#613D32","#A15D48","#D48871","#F2C1B2"]}};var E=(t,e,n)=>Math.max(e,Math.min(n,t));var L=t=>[1,3,5].map(e=>parseInt(t.slice(e,e+2),16));function S(t){let[e,n,a]=t.map(o=>(o/=255)<=.04045?o/12.92:((o+.055)/1.055)**2.4);return .2126*e+.7152*n+.0722*a}function A(t,e,n){let a=E(n,0,1)*(t.length-1),o=Math.min(t.length-2,Math.floor(a)),[s,p]=[t[o],t[o+1]].map(r=>r==="page"?e:L(r));return s.map((r,i)=>Math.round(r+(p[i]-r)*(a-o)))}function q(t){for(let e=t;e;e=e.parentElement??e.getRootNode()?.host){let n=getComputedStyle(e).backgroundColor.match(/[\d.]+/g)?.map(Number);if(n&&(n.length<4||n[3]>.5))return n.slice(0,3)}return[255,255,255]}var g=new WeakMap;function x(t){return g.has(t)||g.set(t,z(t)),g.get(t)}function z(t){let e=q(t.parentElement??t),n=S(e)<.179;t.dataset.dark=n;let a=getComputedStyle(t),o=n?"dark":"light",s=r=>a.getPropertyValue(`--${r}`).trim(),p=r=>Object.fromEntries(Object.entries(h).map(([i,c])=>[i,r(c)]));return{page:e,dark:n,font:s("font"),mono:s("mono"),ink:a.color,ink2:s("ink2"),grid:s("grid"),grid2:s("grid2"),hatch:s("hatch"),line:s("line"),brand:s("brand"),goInk:s("go-ink"),error:s("error"),mark:p(({mark:r})=>r),text:p(({ink:r})=>r[o]),weights:r=>A(m.weights[o],e,r),scores:(r,i)=>A(m[r<0?"negative":"positive"][o],e,Math.abs(r)/(i||1))}}function B(t,e,n){let a=()=>{g.delete(t),x(t)},o=()=>{a(),e()},s=()=>{o(),setTimeout(o,300)},p=new MutationObserver(s);for(let l of[document.documentElement,document.body])p.observe(l,{attributes:!0,attributeFilter:["class","data-jp-theme-light","data-jp-theme-name","data-theme"]});let r=-1,i=new ResizeObserver(()=>{t.clientWidth!==r&&(r=t.clientWidth,o())});i.observe(t),t.isConnected&&a();let c=()=>{n.aborted||matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change",()=>{e(),c()},{once:!0,signal:n})};c(),n.addEventListener("abort",()=>{p.disconnect(),i.disconnect()})}function k(t){if([...document.querySelectorAll("style[data-attnlab]")].some(n=>n.textContent===t))return;let e=document.createElement("style");e.dataset.attnlab="",e.textContent=t,document.head.append(e)}function P(){let t=(e,n)=>Object.entries(h).map(([a,o])=>`--${a}${e}: ${n(o)};`).join(" ");return`.attnlab { ${t("",({mark:e})=>e)} ${t("-ink",({ink:e})=>e.light)} }
.attnlab[data-dark="true"] { ${t("-ink",({ink:e})=>e.dark)} }
`}k(P()+y);function D(t,e,n){B(t,e,n),T(t,n)}function T(t,e){let n=a=>{a.key.length===1&&!a.ctrlKey&&!a.metaKey&&t.contains(a.target)&&a.stopPropagation()};window.addEventListener("keydown",n,{capture:!0,signal:e})}k(w);function nt({model:t,el:e,signal:n}){e.classList.add("attnlab","attnlab-switchboard");let{get:a,schedule:o}=v(t,r,n);D(e,o,n);function s(i){let c=t.get("off");t.set("off",c.includes(i)?c.filter(l=>l!==i):[...c,i].sort((l,f)=>l-f)),t.save_changes(),r()}function p(i,c,l,f,d){let b=d?"off":"on";return u("button",{type:"button",class:`switch ${b}`,"data-head":l,"aria-pressed":String(!d),"aria-label":`${i?`${i}, `:""}head ${c+1}: ${f}`,title:d?"switch it on again":"switch it off",onclick:()=>s(l)},u("span",{class:"top"},u("span",{class:"name"},`head ${c+1}`),u("span",{class:"state"},b)),u("span",{class:"note"},f))}function r(){x(e);let i=e.contains(document.activeElement)?document.activeElement?.dataset.head:null,c=new Set(a("off")),l=a("rows"),f=0;e.replaceChildren(...a("notes").map((d,b)=>u("div",{class:"line",role:"group","aria-label":l[b]||"heads"},...l[b]?[u("span",{class:"row"},l[b])]:[],...d.map((j,F)=>p(l[b],F,f,j,c.has(f++)))))),i!==null&&e.querySelector(`[data-head="${i}"]`)?.focus()}r()}export{nt as render};

var v=`.attnlab-switchboard { container-type: inline-size; }
.attnlab-switchboard .line { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; margin: 0 0 8px; }
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
@container (max-width: 480px) {
  .attnlab-switchboard .line { display: grid; grid-template-columns: 1fr 1fr; }
  .attnlab-switchboard .row { grid-column: 1 / -1; }
  .attnlab.attnlab-switchboard button.switch { max-width: none; }
}
`;function p(t,e={},...n){return S(document.createElement(t),e,n)}function S(t,e,n){for(let[o,r]of Object.entries(e))o.startsWith("on")?t.addEventListener(o.slice(2),r):r!=null&&r!==!1&&t.setAttribute(o,r===!0?"":r);return t.append(...n),t}function L(t,e,n){t.getAttribute(e)!==String(n)&&t.setAttribute(e,n)}function z(t,e){t.textContent!==e&&(t.textContent=e)}function m(t,...e){let n=[...t.childNodes];e.forEach((o,r)=>{let c=n[r];c?c.nodeName!==o.nodeName?c.replaceWith(o):o instanceof Element?P(c,o):z(c,o.textContent):t.append(o)});for(let o of n.slice(e.length))o.remove()}function P(t,e){for(let{name:n}of[...t.attributes])e.hasAttribute(n)||t.removeAttribute(n);for(let{name:n,value:o}of e.attributes)L(t,n,o);m(t,...e.childNodes)}function C(t,e,n){t.addEventListener("click",({target:o})=>{let r=o.closest(`[data-${e}]`);r&&n(r.dataset[e])})}var E=({key:t,shiftKey:e})=>e&&t==="Enter";function g(t,e,n,o){t.on(e,n),o.addEventListener("abort",()=>t.off(e,n),{once:!0})}function A(t,e,n,o=()=>0){let r=null,c=!1,i=0,l=()=>{clearTimeout(i),i=0,!(c||n.aborted)&&(c=!0,requestAnimationFrame(()=>{c=!1,n.aborted||e()}))},a=()=>r&&t.get("sequence")>=r.sequence,s=()=>{a()&&(r=null);let d=o();d?i||=setTimeout(l,d):l()},u=d=>{d?.kind==="answer"&&a()&&s(),d?.kind==="frame"&&(r=d,l())};return g(t,"change",s,n),g(t,"msg:custom",u,n),{get:d=>r&&d in r.state?r.state[d]:t.get(d),schedule:l}}var B=`/* One look for every instrument: surfaces and fonts come from Jupyter's theme, roles have theirs from theme.json. */
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
`;var x={query:{mark:"#E69F00",ink:{light:"#8A5A00",dark:"#F0B73D"}},key:{mark:"#56B4E9",ink:{light:"#10659A",dark:"#7CC6F0"}},value:{mark:"#009E73",ink:{light:"#00704F",dark:"#3CC39B"}},context:{mark:"#CC79A7",ink:{light:"#96467A",dark:"#E09CC2"}}};var w={weights:{light:["page","#C8CEE9","#919FD8","#6271BA","#3B4592","#1C215D"],dark:["page","#3C4363","#5C68A4","#8593D2","#B8C2EC","#F0F3FD"]},positive:{light:["page","#C7CEEA","#919ED7","#616FB9","#3A4490"],dark:["page","#3E4567","#606DAB","#8D9AD7","#C3CCEF"]},negative:{light:["page","#EBC6BA","#D38E78","#AE5B41","#7F3117"],dark:["page","#613D32","#A15D48","#D48871","#F2C1B2"]}};var D=(t,e,n)=>Math.max(e,Math.min(n,t));var q=t=>[1,3,5].map(e=>parseInt(t.slice(e,e+2),16));function _(t){let[e,n,o]=t.map(r=>(r/=255)<=.04045?r/12.92:((r+.055)/1.055)**2.4);return .2126*e+.7152*n+.0722*o}function $(t,e,n){let o=D(n,0,1)*(t.length-1),r=Math.min(t.length-2,Math.floor(o)),[c,i]=[t[r],t[r+1]].map(l=>l==="page"?e:q(l));return c.map((l,a)=>Math.round(l+(i[a]-l)*(o-r)))}function I(t){for(let e=t;e;e=e.parentElement??e.getRootNode()?.host){let n=getComputedStyle(e).backgroundColor.match(/[\d.]+/g)?.map(Number);if(n&&(n.length<4||n[3]>.5))return n.slice(0,3)}return[255,255,255]}var b=new WeakMap;function k(t){return b.has(t)||b.set(t,R(t)),b.get(t)}function R(t){let e=I(t.parentElement??t),n=_(e)<.179;t.dataset.dark=n;let o=getComputedStyle(t),r=matchMedia("(forced-colors: active)").matches,c=n?"dark":"light",i=a=>o.getPropertyValue(`--${a}`).trim(),l=a=>Object.fromEntries(Object.entries(x).map(([s,u])=>[s,a(u)]));return{page:e,dark:n,font:i("font"),mono:i("mono"),ink:o.color,ink2:r?o.color:i("ink2"),grid:i("grid"),grid2:i("grid2"),hatch:i("hatch"),line:i("line"),brand:i("brand"),goInk:i("go-ink"),error:i("error"),mark:l(({mark:a})=>a),text:l(({ink:a})=>a[c]),weights:a=>$(w.weights[c],e,a),scores:(a,s)=>$(w[a<0?"negative":"positive"][c],e,Math.abs(a)/(s||1))}}function j(t,e,n){let o=()=>{b.delete(t),k(t)},r=()=>{o(),e()},c=()=>{r(),setTimeout(r,300)},i=new MutationObserver(c);for(let u of[document.documentElement,document.body])i.observe(u,{attributes:!0,attributeFilter:["class","data-jp-theme-light","data-jp-theme-name","data-theme"]});for(let u of["(forced-colors: active)","(prefers-color-scheme: dark)"])matchMedia(u).addEventListener("change",c,{signal:n});let l=-1,a=new ResizeObserver(()=>{t.clientWidth!==l&&(l=t.clientWidth,r())});a.observe(t),t.isConnected&&o();let s=()=>{n.aborted||matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change",()=>{e(),s()},{once:!0,signal:n})};s(),n.addEventListener("abort",()=>{i.disconnect(),a.disconnect()})}function y(t){if([...document.querySelectorAll("style[data-attnlab]")].some(n=>n.textContent===t))return;let e=document.createElement("style");e.dataset.attnlab="",e.textContent=t,document.head.append(e)}function K(){let t=(e,n)=>Object.entries(x).map(([o,r])=>`--${o}${e}: ${n(r)};`).join(" ");return`.attnlab { ${t("",({mark:e})=>e)} ${t("-ink",({ink:e})=>e.light)} }
.attnlab[data-dark="true"] { ${t("-ink",({ink:e})=>e.dark)} }
`}y(K()+B);var W=/^(.|Arrow\w+|Page\w+|Home|End|Enter|Escape)$/u;function O(t,e,n){j(t,e,n),V(t,n)}function V(t,e){let n=o=>{!(o.ctrlKey||o.metaKey||o.altKey||E(o))&&W.test(o.key)&&t.contains(o.target)&&o.stopPropagation()};window.addEventListener("keydown",n,{capture:!0,signal:e})}y(v);function pt({model:t,el:e,signal:n}){e.classList.add("attnlab","attnlab-switchboard");let{get:o,schedule:r}=A(t,l,n);O(e,r,n);function c(a){let s=t.get("off");t.set("off",s.includes(a)?s.filter(u=>u!==a):[...s,a].sort((u,f)=>u-f)),t.save_changes(),l()}function i(a,s,u,f,d){let h=d?"off":"on";return p("button",{type:"button",class:`switch ${h}`,"data-head":u,"aria-pressed":String(!d),"aria-label":`${a?`${a}, `:""}head ${s+1}: ${f}`,title:d?"switch it on again":"switch it off"},p("span",{class:"top"},p("span",{class:"name"},`head ${s+1}`),p("span",{class:"state"},h)),p("span",{class:"note"},f))}function l(){k(e);let a=new Set(o("off")),s=o("rows"),u=0;m(e,...o("notes").map((f,d)=>p("div",{class:"line",role:"group","aria-label":s[d]||"heads"},...s[d]?[p("span",{class:"row"},s[d])]:[],...f.map((h,F)=>i(s[d],F,u,h,a.has(u++))))))}C(e,"head",a=>c(Number(a))),l()}export{pt as render};

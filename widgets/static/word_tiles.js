var A=`.attnlab.attnlab-tiles { display: flex; flex-wrap: wrap; gap: 6px 4px; max-width: 1000px; padding: 4px; }
.attnlab.attnlab-tiles .tile {
  display: inline-flex; flex-direction: column; align-items: center; justify-content: flex-start; gap: 0; height: auto;
  min-width: 28px; padding: 2px 6px; background: none; border: 1px solid transparent; border-radius: 2px;
}
.attnlab.attnlab-tiles button.tile { border-color: var(--grid2); }
.attnlab-tiles .word { font: 14px/22px var(--mono); color: var(--ink); padding: 0 3px; }
.attnlab-tiles .below { font-size: 12px; line-height: 18px; color: var(--key-ink); }
.attnlab-tiles .right .below { font-weight: 600; }
.attnlab-tiles .hidden .word {
  color: var(--ink2); text-decoration: line-through;
  background: repeating-linear-gradient(-45deg, transparent 0 4px, var(--grid2) 4px 6px);
}
.attnlab-tiles .token .word { border-bottom: 2px solid var(--query); }
.attnlab-tiles .replaced .word { border-bottom: 2px dashed var(--error); }
.attnlab-tiles .asked .word { border-bottom: 2px solid var(--key); }
.attnlab.attnlab-tiles .chosen { outline: 2px solid var(--ink); outline-offset: 1px; }
.attnlab.attnlab-tiles .chosen:focus-visible { box-shadow: 0 0 0 5px var(--brand); }
`;function p(t,e={},...n){return N(document.createElement(t),e,n)}function N(t,e,n){for(let[o,r]of Object.entries(e))o.startsWith("on")?t.addEventListener(o.slice(2),r):r!=null&&r!==!1&&t.setAttribute(o,r===!0?"":r);return t.append(...n),t}function z(t,e,n){t.getAttribute(e)!==String(n)&&t.setAttribute(e,n)}function I(t,e){t.textContent!==e&&(t.textContent=e)}function m(t,...e){let n=[...t.childNodes];e.forEach((o,r)=>{let s=n[r];s?s.nodeName!==o.nodeName?s.replaceWith(o):o instanceof Element?_(s,o):I(s,o.textContent):t.append(o)});for(let o of n.slice(e.length))o.remove()}function _(t,e){for(let{name:n}of[...t.attributes])e.hasAttribute(n)||t.removeAttribute(n);for(let{name:n,value:o}of e.attributes)z(t,n,o);m(t,...e.childNodes)}function B(t,e,n){t.addEventListener("click",({target:o})=>{let r=o.closest(`[data-${e}]`);r&&n(r.dataset[e])})}var M=({key:t,shiftKey:e})=>e&&t==="Enter";function g(t,e,n,o){t.on(e,n),o.addEventListener("abort",()=>t.off(e,n),{once:!0})}function D(t,e,n,o=()=>0){let r=null,s=!1,i=0,c=()=>{clearTimeout(i),i=0,!(s||n.aborted)&&(s=!0,requestAnimationFrame(()=>{s=!1,n.aborted||e()}))},a=()=>r&&t.get("sequence")>=r.sequence,d=()=>{a()&&(r=null);let u=o();u?i||=setTimeout(c,u):c()},l=u=>{u?.kind==="answer"&&a()&&d(),u?.kind==="frame"&&(r=u,c())};return g(t,"change",d,n),g(t,"msg:custom",l,n),{get:u=>r&&u in r.state?r.state[u]:t.get(u),schedule:c}}var j=`/* One look for every instrument: surfaces and fonts come from Jupyter's theme, roles have theirs from theme.json. */
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
`;var x={query:{mark:"#E69F00",ink:{light:"#8A5A00",dark:"#F0B73D"}},key:{mark:"#56B4E9",ink:{light:"#10659A",dark:"#7CC6F0"}},value:{mark:"#009E73",ink:{light:"#00704F",dark:"#3CC39B"}},context:{mark:"#CC79A7",ink:{light:"#96467A",dark:"#E09CC2"}}};var k={weights:{light:["page","#C8CEE9","#919FD8","#6271BA","#3B4592","#1C215D"],dark:["page","#3C4363","#5C68A4","#8593D2","#B8C2EC","#F0F3FD"]},positive:{light:["page","#C7CEEA","#919ED7","#616FB9","#3A4490"],dark:["page","#3E4567","#606DAB","#8D9AD7","#C3CCEF"]},negative:{light:["page","#EBC6BA","#D38E78","#AE5B41","#7F3117"],dark:["page","#613D32","#A15D48","#D48871","#F2C1B2"]}};var O=(t,e,n)=>Math.max(e,Math.min(n,t));var K=t=>[1,3,5].map(e=>parseInt(t.slice(e,e+2),16));function W(t){let[e,n,o]=t.map(r=>(r/=255)<=.04045?r/12.92:((r+.055)/1.055)**2.4);return .2126*e+.7152*n+.0722*o}function F(t,e,n){let o=O(n,0,1)*(t.length-1),r=Math.min(t.length-2,Math.floor(o)),[s,i]=[t[r],t[r+1]].map(c=>c==="page"?e:K(c));return s.map((c,a)=>Math.round(c+(i[a]-c)*(o-r)))}function V(t){for(let e=t;e;e=e.parentElement??e.getRootNode()?.host){let n=getComputedStyle(e).backgroundColor.match(/[\d.]+/g)?.map(Number);if(n&&(n.length<4||n[3]>.5))return n.slice(0,3)}return[255,255,255]}var f=new WeakMap;function w(t){return f.has(t)||f.set(t,H(t)),f.get(t)}function H(t){let e=V(t.parentElement??t),n=W(e)<.179;t.dataset.dark=n;let o=getComputedStyle(t),r=matchMedia("(forced-colors: active)").matches,s=n?"dark":"light",i=a=>o.getPropertyValue(`--${a}`).trim(),c=a=>Object.fromEntries(Object.entries(x).map(([d,l])=>[d,a(l)]));return{page:e,dark:n,font:i("font"),mono:i("mono"),ink:o.color,ink2:r?o.color:i("ink2"),grid:i("grid"),grid2:i("grid2"),hatch:i("hatch"),line:i("line"),brand:i("brand"),goInk:i("go-ink"),error:i("error"),mark:c(({mark:a})=>a),text:c(({ink:a})=>a[s]),weights:a=>F(k.weights[s],e,a),scores:(a,d)=>F(k[a<0?"negative":"positive"][s],e,Math.abs(a)/(d||1))}}function T(t,e,n){let o=()=>{f.delete(t),w(t)},r=()=>{o(),e()},s=()=>{r(),setTimeout(r,300)},i=new MutationObserver(s);for(let l of[document.documentElement,document.body])i.observe(l,{attributes:!0,attributeFilter:["class","data-jp-theme-light","data-jp-theme-name","data-theme"]});for(let l of["(forced-colors: active)","(prefers-color-scheme: dark)"])matchMedia(l).addEventListener("change",s,{signal:n});let c=-1,a=new ResizeObserver(()=>{t.clientWidth!==c&&(c=t.clientWidth,r())});a.observe(t),t.isConnected&&o();let d=()=>{n.aborted||matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change",()=>{e(),d()},{once:!0,signal:n})};d(),n.addEventListener("abort",()=>{i.disconnect(),a.disconnect()})}function y(t){if([...document.querySelectorAll("style[data-attnlab]")].some(n=>n.textContent===t))return;let e=document.createElement("style");e.dataset.attnlab="",e.textContent=t,document.head.append(e)}function J(){let t=(e,n)=>Object.entries(x).map(([o,r])=>`--${o}${e}: ${n(r)};`).join(" ");return`.attnlab { ${t("",({mark:e})=>e)} ${t("-ink",({ink:e})=>e.light)} }
.attnlab[data-dark="true"] { ${t("-ink",({ink:e})=>e.dark)} }
`}y(J()+j);var U=/^(.|Arrow\w+|Page\w+|Home|End|Enter|Escape)$/u;function S(t,e,n){T(t,e,n),Y(t,n)}function Y(t,e){let n=o=>{!(o.ctrlKey||o.metaKey||o.altKey||M(o))&&U.test(o.key)&&t.contains(o.target)&&o.stopPropagation()};window.addEventListener("keydown",n,{capture:!0,signal:e})}function L(t,e){let n=t.filter(o=>o!==e);return t.at(-1)===e?n:[...n,e]}y(A);var G={hidden:"hidden",token:"in place of a word",replaced:"replaced",asked:"asked for","":""};function kt({model:t,el:e,signal:n}){e.classList.add("attnlab","attnlab-tiles");let{get:o,schedule:r}=D(t,c,n);S(e,r,n);function s(a){t.set("hidden",L(t.get("hidden"),a)),t.save_changes(),r()}function i(a,d,l){let b=l.marks[d]??"",u=l.below[d]??"",h=l.right.has(d),P=l.editing&&l.hidden.at(-1)===d,v=[a,G[b],u&&`below: ${u}`,h&&"right"].filter(Boolean).join(", "),C=[p("span",{class:"word","aria-hidden":"true"},a),p("span",{class:"below","aria-hidden":"true"},u?`${u}${h?" ✓":""}`:" ")],E=`tile ${b} ${P?"chosen":""} ${h?"right":""}`;return l.editing?p("button",{type:"button",class:E,"data-place":d,"aria-pressed":String(l.hidden.includes(d)),"aria-label":v},...C):p("span",{class:E},...C,p("span",{class:"sr-only"},v))}function c(){w(e);let a={marks:o("marks"),below:o("below"),right:new Set(o("right")),hidden:o("hidden"),editing:o("editing")};e.setAttribute("role","group"),e.setAttribute("aria-label",o("title")||"words"),m(e,...o("words").map((d,l)=>i(d,l,a)))}B(e,"place",a=>s(Number(a))),c()}export{kt as render};

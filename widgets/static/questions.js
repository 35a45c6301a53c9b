var A=`.attnlab.attnlab-questions { max-width: 46em; padding: 4px; }
.attnlab-questions .asked { margin: 0 0 20px; }
.attnlab-questions .question { font: 600 15px/24px var(--font); margin: 0 0 4px; overflow-wrap: anywhere; }
.attnlab-questions .choices { display: flex; flex-direction: column; align-items: flex-start; gap: 1px; }
.attnlab.attnlab-questions .choices button {
  justify-content: flex-start; align-items: flex-start; gap: 8px; max-width: 100%; height: auto; min-height: 28px; padding: 4px 8px;
  border: 0; background: none; color: var(--ink); opacity: 1; line-height: 20px; white-space: normal; text-align: left;
}
.attnlab-questions .choices button > span { min-width: 0; overflow-wrap: anywhere; }
.attnlab-questions .choices .mark {
  flex: none; width: 14px; height: 14px; margin: 3px 0; padding: 2px; border: 2px solid var(--ink2); border-radius: 50%;
}
.attnlab-questions [aria-checked="true"] .mark { border-color: var(--brand); }
.attnlab-questions [aria-checked="true"] .mark::after { content: ""; display: block; height: 6px; border-radius: 50%; background: var(--brand); }
.attnlab.attnlab-questions .choices button[aria-disabled="true"][aria-checked="false"] { color: var(--ink2); }
.attnlab.attnlab-questions .choices button:focus-visible { outline-offset: -2px; } /* the box around the view cuts */
.attnlab-questions textarea {
  display: block; width: 100%; min-height: 72px; margin: 4px 0 8px; padding: 4px 8px; resize: vertical; field-sizing: content;
  font: 13px/20px var(--font); color: var(--ink); background: var(--bg); border: 1px solid var(--ink2); border-radius: 2px;
}
.attnlab-questions textarea::placeholder { color: var(--ink2); opacity: 1; }
.attnlab-questions textarea:read-only { border-color: var(--grid2); }
.attnlab.attnlab-questions textarea:focus-visible { outline-offset: -2px; }
.attnlab.attnlab-questions button[hidden] { display: none; }
.attnlab-questions .reply table { border-collapse: collapse; width: 100%; margin: 6px 0 0; font: 13px/20px var(--font); color: var(--ink); }
.attnlab-questions .reply tr, .attnlab-questions .reply tbody tr:nth-child(n) { background: none; }
.attnlab-questions .reply :is(th, td) { padding: 3px 0 3px 8px; border: 0; text-align: left; vertical-align: top; background: none; white-space: pre-wrap; overflow-wrap: anywhere; }
.attnlab-questions .reply th { width: 10.5em; padding-right: 8px; font-weight: 400; color: var(--ink2); overflow-wrap: normal; }
.attnlab-questions .standing { color: var(--ink2); min-height: 20px; }
@media (forced-colors: active) {
  .attnlab-questions .choices .mark { border-color: ButtonText; }
  .attnlab-questions [aria-checked="true"] .mark { border-color: Highlight; }
  .attnlab-questions [aria-checked="true"] .mark::after { background: Highlight; forced-color-adjust: none; }
}
`;function l(t,e={},...n){return H(document.createElement(t),e,n)}function H(t,e,n){for(let[o,r]of Object.entries(e))o.startsWith("on")?t.addEventListener(o.slice(2),r):r!=null&&r!==!1&&t.setAttribute(o,r===!0?"":r);return t.append(...n),t}function W(t,e,n){t.getAttribute(e)!==String(n)&&t.setAttribute(e,n)}function m(t,e){t.textContent!==e&&(t.textContent=e)}function x(t,...e){let n=[...t.childNodes];e.forEach((o,r)=>{let a=n[r];a?a.nodeName!==o.nodeName?a.replaceWith(o):o instanceof Element?V(a,o):m(a,o.textContent):t.append(o)});for(let o of n.slice(e.length))o.remove()}function V(t,e){for(let{name:n}of[...t.attributes])e.hasAttribute(n)||t.removeAttribute(n);for(let{name:n,value:o}of e.attributes)W(t,n,o);x(t,...e.childNodes)}function q(t,e,n){e&&t===document.activeElement&&n.focus({preventScroll:!0}),t.hidden=e}function k(t,e){t.textContent="",t.textContent=e}var w=({key:t,shiftKey:e})=>e&&t==="Enter";function B(t,e,n){window.addEventListener("keydown",o=>{!t.contains(o.target)||w(o)||!e(o)||(o.preventDefault(),o.stopImmediatePropagation())},{capture:!0,signal:n})}function f(t,e,n,o){t.on(e,n),o.addEventListener("abort",()=>t.off(e,n),{once:!0})}var U=t=>!t.set({}).comm;function O(t,e){let n=()=>{t.gone=t.el.closest(".jupyter-widgets-disconnected")?"restarted":"",t.schedule()};t.gone=U(t.model)?"alone":"",f(t.model,"comm_live_update",()=>setTimeout(n),e)}function M(t,e,n){try{t.send(e,n)}catch(o){console.warn("the kernel cannot be told",e.kind,o)}}var T=`/* One look for every instrument: surfaces and fonts come from Jupyter's theme, roles have theirs from theme.json. */
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
`;var y={query:{mark:"#E69F00",ink:{light:"#8A5A00",dark:"#F0B73D"}},key:{mark:"#56B4E9",ink:{light:"#10659A",dark:"#7CC6F0"}},value:{mark:"#009E73",ink:{light:"#00704F",dark:"#3CC39B"}},context:{mark:"#CC79A7",ink:{light:"#96467A",dark:"#E09CC2"}}};var v={weights:{light:["page","#C8CEE9","#919FD8","#6271BA","#3B4592","#1C215D"],dark:["page","#3C4363","#5C68A4","#8593D2","#B8C2EC","#F0F3FD"]},positive:{light:["page","#C7CEEA","#919ED7","#616FB9","#3A4490"],dark:["page","#3E4567","#606DAB","#8D9AD7","#C3CCEF"]},negative:{light:["page","#EBC6BA","#D38E78","#AE5B41","#7F3117"],dark:["page","#613D32","#A15D48","#D48871","#F2C1B2"]}};var j=(t,e,n)=>Math.max(e,Math.min(n,t));var G=t=>[1,3,5].map(e=>parseInt(t.slice(e,e+2),16));function J(t){let[e,n,o]=t.map(r=>(r/=255)<=.04045?r/12.92:((r+.055)/1.055)**2.4);return .2126*e+.7152*n+.0722*o}function $(t,e,n){let o=j(n,0,1)*(t.length-1),r=Math.min(t.length-2,Math.floor(o)),[a,s]=[t[r],t[r+1]].map(i=>i==="page"?e:G(i));return a.map((i,c)=>Math.round(i+(s[c]-i)*(o-r)))}function Q(t){for(let e=t;e;e=e.parentElement??e.getRootNode()?.host){let n=getComputedStyle(e).backgroundColor.match(/[\d.]+/g)?.map(Number);if(n&&(n.length<4||n[3]>.5))return n.slice(0,3)}return[255,255,255]}var g=new WeakMap;function C(t){return g.has(t)||g.set(t,X(t)),g.get(t)}function X(t){let e=Q(t.parentElement??t),n=J(e)<.179;t.dataset.dark=n;let o=getComputedStyle(t),r=n?"dark":"light",a=i=>o.getPropertyValue(`--${i}`).trim(),s=i=>Object.fromEntries(Object.entries(y).map(([c,d])=>[c,i(d)]));return{page:e,dark:n,font:a("font"),mono:a("mono"),ink:o.color,ink2:a("ink2"),grid:a("grid"),grid2:a("grid2"),hatch:a("hatch"),line:a("line"),brand:a("brand"),goInk:a("go-ink"),error:a("error"),mark:s(({mark:i})=>i),text:s(({ink:i})=>i[r]),weights:i=>$(v.weights[r],e,i),scores:(i,c)=>$(v[i<0?"negative":"positive"][r],e,Math.abs(i)/(c||1))}}function F(t,e,n){let o=()=>{g.delete(t),C(t)},r=()=>{o(),e()},a=()=>{r(),setTimeout(r,300)},s=new MutationObserver(a);for(let p of[document.documentElement,document.body])s.observe(p,{attributes:!0,attributeFilter:["class","data-jp-theme-light","data-jp-theme-name","data-theme"]});for(let p of["(forced-colors: active)","(prefers-color-scheme: dark)"])matchMedia(p).addEventListener("change",a,{signal:n});let i=-1,c=new ResizeObserver(()=>{t.clientWidth!==i&&(i=t.clientWidth,r())});c.observe(t),t.isConnected&&o();let d=()=>{n.aborted||matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change",()=>{e(),d()},{once:!0,signal:n})};d(),n.addEventListener("abort",()=>{s.disconnect(),c.disconnect()})}function E(t){if([...document.querySelectorAll("style[data-attnlab]")].some(n=>n.textContent===t))return;let e=document.createElement("style");e.dataset.attnlab="",e.textContent=t,document.head.append(e)}function Z(){let t=(e,n)=>Object.entries(y).map(([o,r])=>`--${o}${e}: ${n(r)};`).join(" ");return`.attnlab { ${t("",({mark:e})=>e)} ${t("-ink",({ink:e})=>e.light)} }
.attnlab[data-dark="true"] { ${t("-ink",({ink:e})=>e.dark)} }
`}E(Z()+T);var tt=/^(.|Arrow\w+|Page\w+|Home|End|Enter|Escape)$/u;function L(t,e,n){F(t,e,n),et(t,n)}function et(t,e){let n=o=>{!(o.ctrlKey||o.metaKey||o.altKey||w(o))&&tt.test(o.key)&&t.contains(o.target)&&o.stopPropagation()};window.addEventListener("keydown",n,{capture:!0,signal:e})}function S(t,e,n,o=()=>0){let r=null,a=!1,s=0,i=()=>{clearTimeout(s),s=0,!(a||n.aborted)&&(a=!0,requestAnimationFrame(()=>{a=!1,n.aborted||e()}))},c=()=>r&&t.get("sequence")>=r.sequence,d=()=>{c()&&(r=null);let u=o();u?s||=setTimeout(i,u):i()},p=u=>{u?.kind==="answer"&&c()&&d(),u?.kind==="frame"&&(r=u,i())};return f(t,"change",d,n),f(t,"msg:custom",p,n),{get:u=>r&&u in r.state?r.state[u]:t.get(u),schedule:i}}E(A);var nt=600,K={restarted:"The kernel was restarted: run this cell again, so that answers are kept.",alone:"There is no kernel behind this page: answers are not kept here."},P={ArrowLeft:-1,ArrowUp:-1,ArrowRight:1,ArrowDown:1};function Tt({model:t,el:e,signal:n}){let{get:o,schedule:r}=S(t,()=>z(s),n),a=l("div",{class:"standing",role:"status"}),s={model:t,el:e,get:o,schedule:r,signal:n,standing:a,gone:"",waiting:new Map,asked:[]},i=`questions-${Math.random().toString(36).slice(2)}`;s.asked=o("questions").map((c,d)=>ot(s,c,d,`${i}-${d}`)),e.classList.add("attnlab","attnlab-questions"),e.setAttribute("role","group"),e.append(...s.asked.map(({root:c})=>c),a),B(e,c=>it(s,c),n),f(t,"msg:custom",c=>c?.kind==="answered"&&k(a,c.standing),n),O(s,n),L(e,r,n),z(s)}function ot(t,{text:e,choices:n},o,r){let a=l("p",{class:"question",id:r},`${o+1}. ${e}`),s=l("div",{class:"reply","aria-live":"polite"}),{parts:i,...c}=n.length?rt(t,n,o,r):at(t,o,r);return{root:l("div",{class:"asked"},a,...i,s),reply:s,...c}}function rt(t,e,n,o){let r=e.map(s=>l("button",{type:"button",role:"radio",onclick:()=>N(t,n,s)},l("span",{class:"mark","aria-hidden":"true"}),l("span",{},s))),a=l("div",{class:"choices",role:"radiogroup","aria-labelledby":o},...r);return{parts:[a],update(){let s=e.indexOf(I(t,n)),i=t.get("closed")[n],c=r.findIndex(p=>p===document.activeElement),d=c>=0?c:Math.max(0,s);a.setAttribute("aria-disabled",i),r.forEach((p,b)=>{p.setAttribute("aria-checked",b===s),p.setAttribute("aria-disabled",i),p.tabIndex=b===d?0:-1})},step(s,i){let c=(r.indexOf(s)+i+r.length)%r.length;r[c].focus(),t.get("final")||N(t,n,e[c]),t.schedule()}}}function at(t,e,n){let{model:o,signal:r}=t,a=l("textarea",{rows:3,placeholder:"a sentence or two",dir:"auto","aria-labelledby":n}),s=l("button",{type:"button","aria-describedby":n,onclick:p},"keep it"),i="",c=0;function d(){clearTimeout(c),c=0,a.value!==i&&(i=a.value,o.set("drafts",o.get("drafts").map((u,h)=>h===e?i:u)),o.save_changes())}function p(){d(),R(t,e,a.value),a.value.trim()||a.focus()}let b=()=>{clearTimeout(c),c=setTimeout(d,nt)};return a.addEventListener("input",b,{signal:r}),a.addEventListener("change",d,{signal:r}),r.addEventListener("abort",()=>clearTimeout(c)),{parts:[a,s],update(){let u=t.get("closed")[e],h=t.get("drafts")[e];a.readOnly=u,q(s,u,a),!(h===i||c)&&(i=h,a.value=h)},step(){}}}var I=({get:t,waiting:e},n)=>e.get(n)?.text??t("answers")[n];function N(t,e,n){I(t,e)!==n&&R(t,e,n)}function R(t,e,n){let{model:o,get:r,waiting:a}=t;if(r("closed")[e])return;if(t.gone){k(t.standing,K[t.gone]);return}let s={kind:"answer",place:e,text:n},i=({content:c})=>{c.execution_state!=="idle"||a.get(e)!==s||(a.delete(e),t.schedule())};a.set(e,s),M(o,s,{iopub:{status:i}}),t.schedule()}function it(t,e){let{target:n,key:o,ctrlKey:r,metaKey:a,altKey:s}=e;return n.localName==="textarea"?((r||a)&&o.toLowerCase()==="s"||e.stopPropagation(),!1):r||a||s||!P[o]||n.getAttribute("role")!=="radio"?!1:(t.asked.find(({root:i})=>i.contains(n)).step(n,P[o]),!0)}var st=({gone:t,get:e})=>t?K[t]:e("standing"),ct=([t,e])=>l("tr",{},l("th",{scope:"row"},t),l("td",{},e));function z(t){let{el:e,get:n,standing:o}=t;C(e),e.setAttribute("aria-label",n("title")),t.asked.forEach(({reply:r,update:a},s)=>{a();let i=n("replies")[s];x(r,...i.length?[l("table",{},l("tbody",{},...i.map(ct)))]:[])}),m(o,st(t))}export{Tt as render};

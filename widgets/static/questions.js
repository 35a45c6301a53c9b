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
`;function l(t,e={},...n){return H(document.createElement(t),e,n)}function H(t,e,n){for(let[o,r]of Object.entries(e))o.startsWith("on")?t.addEventListener(o.slice(2),r):r!=null&&r!==!1&&t.setAttribute(o,r===!0?"":r);return t.append(...n),t}function W(t,e,n){t.getAttribute(e)!==String(n)&&t.setAttribute(e,n)}function m(t,e){t.textContent!==e&&(t.textContent=e)}function x(t,...e){let n=[...t.childNodes];e.forEach((o,r)=>{let i=n[r];i?i.nodeName!==o.nodeName?i.replaceWith(o):o instanceof Element?V(i,o):m(i,o.textContent):t.append(o)});for(let o of n.slice(e.length))o.remove()}function V(t,e){for(let{name:n}of[...t.attributes])e.hasAttribute(n)||t.removeAttribute(n);for(let{name:n,value:o}of e.attributes)W(t,n,o);x(t,...e.childNodes)}function q(t,e,n){e&&t===document.activeElement&&n.focus({preventScroll:!0}),t.hidden=e}function k(t,e){t.textContent="",t.textContent=e}var w=({key:t,shiftKey:e})=>e&&t==="Enter";function B(t,e,n){window.addEventListener("keydown",o=>{!t.contains(o.target)||w(o)||!e(o)||(o.preventDefault(),o.stopImmediatePropagation())},{capture:!0,signal:n})}function f(t,e,n,o){t.on(e,n),o.addEventListener("abort",()=>t.off(e,n),{once:!0})}var U=t=>!t.set({}).comm;function M(t,e){let n=()=>{t.gone=t.el.closest(".jupyter-widgets-disconnected")?"restarted":"",t.schedule()};t.gone=U(t.model)?"alone":"",f(t.model,"comm_live_update",()=>setTimeout(n),e)}function O(t,e,n){try{t.send(e,n)}catch(o){console.warn("the kernel cannot be told",e.kind,o)}}var T=`/* One look for every instrument: surfaces and fonts come from Jupyter's theme, roles have theirs from theme.json. */
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
`;var y={query:{mark:"#E69F00",ink:{light:"#8A5A00",dark:"#F0B73D"}},key:{mark:"#56B4E9",ink:{light:"#10659A",dark:"#7CC6F0"}},value:{mark:"#009E73",ink:{light:"#00704F",dark:"#3CC39B"}},context:{mark:"#CC79A7",ink:{light:"#96467A",dark:"#E09CC2"}}};var v={weights:{light:["page","#C8CEE9","#919FD8","#6271BA","#3B4592","#1C215D"],dark:["page","#3C4363","#5C68A4","#8593D2","#B8C2EC","#F0F3FD"]},positive:{light:["page","#C7CEEA","#919ED7","#616FB9","#3A4490"],dark:["page","#3E4567","#606DAB","#8D9AD7","#C3CCEF"]},negative:{light:["page","#EBC6BA","#D38E78","#AE5B41","#7F3117"],dark:["page","#613D32","#A15D48","#D48871","#F2C1B2"]}};var j=(t,e,n)=>Math.max(e,Math.min(n,t));var G=t=>[1,3,5].map(e=>parseInt(t.slice(e,e+2),16));function J(t){let[e,n,o]=t.map(r=>(r/=255)<=.04045?r/12.92:((r+.055)/1.055)**2.4);return .2126*e+.7152*n+.0722*o}function $(t,e,n){let o=j(n,0,1)*(t.length-1),r=Math.min(t.length-2,Math.floor(o)),[i,a]=[t[r],t[r+1]].map(c=>c==="page"?e:G(c));return i.map((c,s)=>Math.round(c+(a[s]-c)*(o-r)))}function Q(t){for(let e=t;e;e=e.parentElement??e.getRootNode()?.host){let n=getComputedStyle(e).backgroundColor.match(/[\d.]+/g)?.map(Number);if(n&&(n.length<4||n[3]>.5))return n.slice(0,3)}return[255,255,255]}var g=new WeakMap;function C(t){return g.has(t)||g.set(t,X(t)),g.get(t)}function X(t){let e=Q(t.parentElement??t),n=J(e)<.179;t.dataset.dark=n;let o=getComputedStyle(t),r=matchMedia("(forced-colors: active)").matches,i=n?"dark":"light",a=s=>o.getPropertyValue(`--${s}`).trim(),c=s=>Object.fromEntries(Object.entries(y).map(([d,u])=>[d,s(u)]));return{page:e,dark:n,font:a("font"),mono:a("mono"),ink:o.color,ink2:r?o.color:a("ink2"),grid:a("grid"),grid2:a("grid2"),hatch:a("hatch"),line:a("line"),brand:a("brand"),goInk:a("go-ink"),error:a("error"),mark:c(({mark:s})=>s),text:c(({ink:s})=>s[i]),weights:s=>$(v.weights[i],e,s),scores:(s,d)=>$(v[s<0?"negative":"positive"][i],e,Math.abs(s)/(d||1))}}function F(t,e,n){let o=()=>{g.delete(t),C(t)},r=()=>{o(),e()},i=()=>{r(),setTimeout(r,300)},a=new MutationObserver(i);for(let u of[document.documentElement,document.body])a.observe(u,{attributes:!0,attributeFilter:["class","data-jp-theme-light","data-jp-theme-name","data-theme"]});for(let u of["(forced-colors: active)","(prefers-color-scheme: dark)"])matchMedia(u).addEventListener("change",i,{signal:n});let c=-1,s=new ResizeObserver(()=>{t.clientWidth!==c&&(c=t.clientWidth,r())});s.observe(t),t.isConnected&&o();let d=()=>{n.aborted||matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change",()=>{e(),d()},{once:!0,signal:n})};d(),n.addEventListener("abort",()=>{a.disconnect(),s.disconnect()})}function E(t){if([...document.querySelectorAll("style[data-attnlab]")].some(n=>n.textContent===t))return;let e=document.createElement("style");e.dataset.attnlab="",e.textContent=t,document.head.append(e)}function Z(){let t=(e,n)=>Object.entries(y).map(([o,r])=>`--${o}${e}: ${n(r)};`).join(" ");return`.attnlab { ${t("",({mark:e})=>e)} ${t("-ink",({ink:e})=>e.light)} }
.attnlab[data-dark="true"] { ${t("-ink",({ink:e})=>e.dark)} }
`}E(Z()+T);var tt=/^(.|Arrow\w+|Page\w+|Home|End|Enter|Escape)$/u;function L(t,e,n){F(t,e,n),et(t,n)}function et(t,e){let n=o=>{!(o.ctrlKey||o.metaKey||o.altKey||w(o))&&tt.test(o.key)&&t.contains(o.target)&&o.stopPropagation()};window.addEventListener("keydown",n,{capture:!0,signal:e})}function S(t,e,n,o=()=>0){let r=null,i=!1,a=0,c=()=>{clearTimeout(a),a=0,!(i||n.aborted)&&(i=!0,requestAnimationFrame(()=>{i=!1,n.aborted||e()}))},s=()=>r&&t.get("sequence")>=r.sequence,d=()=>{s()&&(r=null);let p=o();p?a||=setTimeout(c,p):c()},u=p=>{p?.kind==="answer"&&s()&&d(),p?.kind==="frame"&&(r=p,c())};return f(t,"change",d,n),f(t,"msg:custom",u,n),{get:p=>r&&p in r.state?r.state[p]:t.get(p),schedule:c}}E(A);var nt=600,K={restarted:"The kernel was restarted: run this cell again, so that answers are kept.",alone:"There is no kernel behind this page: answers are not kept here."},P={ArrowLeft:-1,ArrowUp:-1,ArrowRight:1,ArrowDown:1};function Tt({model:t,el:e,signal:n}){let{get:o,schedule:r}=S(t,()=>z(a),n),i=l("div",{class:"standing",role:"status"}),a={model:t,el:e,get:o,schedule:r,signal:n,standing:i,gone:"",waiting:new Map,asked:[]},c=`questions-${Math.random().toString(36).slice(2)}`;a.asked=o("questions").map((s,d)=>ot(a,s,d,`${c}-${d}`)),e.classList.add("attnlab","attnlab-questions"),e.setAttribute("role","group"),e.append(...a.asked.map(({root:s})=>s),i),B(e,s=>it(a,s),n),f(t,"msg:custom",s=>s?.kind==="answered"&&k(i,s.standing),n),M(a,n),L(e,r,n),z(a)}function ot(t,{text:e,choices:n},o,r){let i=l("p",{class:"question",id:r},`${o+1}. ${e}`),a=l("div",{class:"reply","aria-live":"polite"}),{parts:c,...s}=n.length?rt(t,n,o,r):at(t,o,r);return{root:l("div",{class:"asked"},i,...c,a),reply:a,...s}}function rt(t,e,n,o){let r=e.map(a=>l("button",{type:"button",role:"radio",onclick:()=>N(t,n,a)},l("span",{class:"mark","aria-hidden":"true"}),l("span",{},a))),i=l("div",{class:"choices",role:"radiogroup","aria-labelledby":o},...r);return{parts:[i],update(){let a=e.indexOf(I(t,n)),c=t.get("closed")[n],s=r.findIndex(u=>u===document.activeElement),d=s>=0?s:Math.max(0,a);i.setAttribute("aria-disabled",c),r.forEach((u,b)=>{u.setAttribute("aria-checked",b===a),u.setAttribute("aria-disabled",c),u.tabIndex=b===d?0:-1})},step(a,c){let s=(r.indexOf(a)+c+r.length)%r.length;r[s].focus(),t.get("final")||N(t,n,e[s]),t.schedule()}}}function at(t,e,n){let{model:o,signal:r}=t,i=l("textarea",{rows:3,placeholder:"a sentence or two",dir:"auto","aria-labelledby":n}),a=l("button",{type:"button","aria-describedby":n,onclick:u},"keep it"),c="",s=0;function d(){clearTimeout(s),s=0,i.value!==c&&(c=i.value,o.set("drafts",o.get("drafts").map((p,h)=>h===e?c:p)),o.save_changes())}function u(){d(),R(t,e,i.value),i.value.trim()||i.focus()}let b=()=>{clearTimeout(s),s=setTimeout(d,nt)};return i.addEventListener("input",b,{signal:r}),i.addEventListener("change",d,{signal:r}),r.addEventListener("abort",()=>clearTimeout(s)),{parts:[i,a],update(){let p=t.get("closed")[e],h=t.get("drafts")[e];i.readOnly=p,q(a,p,i),!(h===c||s)&&(c=h,i.value=h)},step(){}}}var I=({get:t,waiting:e},n)=>e.get(n)?.text??t("answers")[n];function N(t,e,n){I(t,e)!==n&&R(t,e,n)}function R(t,e,n){let{model:o,get:r,waiting:i}=t;if(r("closed")[e])return;if(t.gone){k(t.standing,K[t.gone]);return}let a={kind:"answer",place:e,text:n},c=({content:s})=>{s.execution_state!=="idle"||i.get(e)!==a||(i.delete(e),t.schedule())};i.set(e,a),O(o,a,{iopub:{status:c}}),t.schedule()}function it(t,e){let{target:n,key:o,ctrlKey:r,metaKey:i,altKey:a}=e;return n.localName==="textarea"?((r||i)&&o.toLowerCase()==="s"||e.stopPropagation(),!1):r||i||a||!P[o]||n.getAttribute("role")!=="radio"?!1:(t.asked.find(({root:c})=>c.contains(n)).step(n,P[o]),!0)}var st=({gone:t,get:e})=>t?K[t]:e("standing"),ct=([t,e])=>l("tr",{},l("th",{scope:"row"},t),l("td",{},e));function z(t){let{el:e,get:n,standing:o}=t;C(e),e.setAttribute("aria-label",n("title")),t.asked.forEach(({reply:r,update:i},a)=>{i();let c=n("replies")[a];x(r,...c.length?[l("table",{},l("tbody",{},...c.map(ct)))]:[])}),m(o,st(t))}export{Tt as render};

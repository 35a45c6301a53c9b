var F=`/* Why a state has no picture is said below the controls, where the hand is: a tall picture ends outside the window. */
.attnlab-explorer > .controls { order: -2; }
.attnlab-explorer > .attnlab.caption { display: contents; }
.attnlab-explorer > .attnlab.caption > .banner { order: -1; }
.attnlab.caption .say { margin: 16px 0 0; font-size: 15px; line-height: 22px; min-height: 22px; overflow-wrap: anywhere; white-space: pre-line; }
.attnlab.caption .say.old { opacity: .6; }
.attnlab.caption .role { font-weight: 600; }
.attnlab.caption .banner {
  display: flex; gap: 8px; margin: 0 0 16px; padding: 4px 0 4px 13px; border-left: 3px solid var(--error);
  color: var(--error); font-size: 14px; line-height: 22px; overflow-wrap: anywhere; white-space: pre-line; max-width: 80ch;
}
.attnlab.caption .banner[hidden] { display: none; }
.attnlab.caption .foot { display: flex; align-items: flex-start; gap: 16px; margin-top: 12px; }
.attnlab.caption .foot[hidden], .attnlab.caption .foot button[hidden], .attnlab.caption .moment[hidden] { display: none; }
.attnlab.caption .moment { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 12px; margin: 8px 0 12px; font-size: 13px; }
.attnlab.caption .moment input {
  font: 13px var(--mono); color: var(--ink); background: var(--bg); height: 28px; padding: 0 8px; margin: 0; max-width: 320px;
  border: 1px solid var(--line); border-radius: 2px; box-shadow: none;
}
.attnlab.caption .moment .said { flex: 1 1 20em; overflow-wrap: anywhere; }
.attnlab.caption .moment .said.wrong { color: var(--error); }
.attnlab.caption details { min-width: 0; font-size: 13px; color: var(--ink2); }
.attnlab.caption summary { cursor: pointer; list-style: none; display: inline-flex; gap: 8px; line-height: 28px; }
.attnlab.caption summary::-webkit-details-marker { display: none; }
.attnlab.caption summary::before {
  content: ""; align-self: center; border-left: 5px solid currentColor;
  border-top: 4px solid transparent; border-bottom: 4px solid transparent;
}
.attnlab.caption details[open] summary::before { transform: rotate(90deg); }
@media (forced-colors: active) { /* which paints a border that is transparent */
  .attnlab.caption summary::before { forced-color-adjust: none; border-left-color: CanvasText; }
}
.attnlab.caption .code { position: relative; margin-left: 13px; display: flex; align-items: flex-start; gap: 16px; }
.attnlab.caption pre {
  margin: 4px 0 0; padding: 0; font: 13px/1.45 var(--mono); color: var(--ink); background: none;
  overflow-x: auto; min-width: 0; tab-size: 4;
}
`;function d(t,e={},...n){return V(document.createElement(t),e,n)}function V(t,e,n){for(let[o,r]of Object.entries(e))o.startsWith("on")?t.addEventListener(o.slice(2),r):r!=null&&r!==!1&&t.setAttribute(o,r===!0?"":r);return t.append(...n),t}var C=({key:t,shiftKey:e})=>e&&t==="Enter";function j(t,e,n){window.addEventListener("keydown",o=>{!t.contains(o.target)||C(o)||!e(o)||(o.preventDefault(),o.stopImmediatePropagation())},{capture:!0,signal:n})}async function w(t){try{return await navigator.clipboard.writeText(t),!0}catch{let e=document.activeElement,n=d("textarea",{style:"position: fixed; opacity: 0","aria-hidden":"true"});n.value=t,document.body.append(n),n.select();let o=document.execCommand("copy");return n.remove(),e?.focus({preventScroll:!0}),o}}function x(t,e,n,o){t.on(e,n),o.addEventListener("abort",()=>t.off(e,n),{once:!0})}function E(t,e,n){try{t.send(e,n)}catch(o){console.warn("the kernel cannot be told",e.kind,o)}}function D(t,e){let n=d("button",{class:"quiet",type:"button","aria-expanded":"false",title:"take this moment along, or open another"},"share"),o=d("button",{type:"button"},"copy this moment"),r=d("input",{type:"text",size:24,spellcheck:"false",autocomplete:"off","aria-label":"open a moment",placeholder:"or paste one here"}),l=d("button",{type:"button"},"open"),s=d("span",{class:"said hint",role:"status"}),i=d("div",{class:"moment",hidden:!0},o,r,l,s),a=(c,v=!1)=>{s.textContent=c,s.classList.toggle("wrong",v)},p=()=>{a(r.value.trim()?"":"First paste a moment: the text that “copy this moment” gives.",!0),r.value.trim()&&E(t,{kind:"open",moment:r.value})},u=()=>{i.hidden=!i.hidden,n.setAttribute("aria-expanded",String(!i.hidden)),a("")};return n.addEventListener("click",u,{signal:e}),o.addEventListener("click",()=>E(t,{kind:"moment"}),{signal:e}),l.addEventListener("click",p,{signal:e}),x(t,"msg:custom",async c=>{i.hidden||(c?.kind==="moment"&&await H(c,r,a),c?.kind==="opened"&&(c.said||(r.value=""),a(c.said||"Opened.",!!c.said)))},e),J(i,r,p,e),{button:n,row:i}}async function H({moment:t,error:e},n,o){e?o(e,!0):await w(t)?o(`Copied, ${t.length} letters: whoever pastes it into this view sees what you see.`):(n.value=t,n.select(),o("Copy it from here by hand."))}function J(t,e,n,o){j(t,l=>l.key!=="Enter"||l.target!==e||l.isComposing?!1:(n(),!0),o)}function $(t,e,n,o=()=>0){let r=null,l=!1,s=0,i=()=>{clearTimeout(s),s=0,!(l||n.aborted)&&(l=!0,requestAnimationFrame(()=>{l=!1,n.aborted||e()}))},a=()=>r&&t.get("sequence")>=r.sequence,p=()=>{a()&&(r=null);let c=o();c?s||=setTimeout(i,c):i()},u=c=>{c?.kind==="answer"&&a()&&p(),c?.kind==="frame"&&(r=c,i())};return x(t,"change",p,n),x(t,"msg:custom",u,n),{get:c=>r&&c in r.state?r.state[c]:t.get(c),schedule:i}}var L=`/* One look for every instrument: surfaces and fonts come from Jupyter's theme, roles have theirs from theme.json. */
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
`;var A={query:{mark:"#E69F00",ink:{light:"#8A5A00",dark:"#F0B73D"}},key:{mark:"#56B4E9",ink:{light:"#10659A",dark:"#7CC6F0"}},value:{mark:"#009E73",ink:{light:"#00704F",dark:"#3CC39B"}},context:{mark:"#CC79A7",ink:{light:"#96467A",dark:"#E09CC2"}}};var B={weights:{light:["page","#C8CEE9","#919FD8","#6271BA","#3B4592","#1C215D"],dark:["page","#3C4363","#5C68A4","#8593D2","#B8C2EC","#F0F3FD"]},positive:{light:["page","#C7CEEA","#919ED7","#616FB9","#3A4490"],dark:["page","#3E4567","#606DAB","#8D9AD7","#C3CCEF"]},negative:{light:["page","#EBC6BA","#D38E78","#AE5B41","#7F3117"],dark:["page","#613D32","#A15D48","#D48871","#F2C1B2"]}};var S=(t,e,n)=>Math.max(e,Math.min(n,t));var Y=t=>[1,3,5].map(e=>parseInt(t.slice(e,e+2),16));function G(t){let[e,n,o]=t.map(r=>(r/=255)<=.04045?r/12.92:((r+.055)/1.055)**2.4);return .2126*e+.7152*n+.0722*o}function z(t,e,n){let o=S(n,0,1)*(t.length-1),r=Math.min(t.length-2,Math.floor(o)),[l,s]=[t[r],t[r+1]].map(i=>i==="page"?e:Y(i));return l.map((i,a)=>Math.round(i+(s[a]-i)*(o-r)))}function Z(t){for(let e=t;e;e=e.parentElement??e.getRootNode()?.host){let n=getComputedStyle(e).backgroundColor.match(/[\d.]+/g)?.map(Number);if(n&&(n.length<4||n[3]>.5))return n.slice(0,3)}return[255,255,255]}var k=new WeakMap;function M(t){return k.has(t)||k.set(t,Q(t)),k.get(t)}function Q(t){let e=Z(t.parentElement??t),n=G(e)<.179;t.dataset.dark=n;let o=getComputedStyle(t),r=matchMedia("(forced-colors: active)").matches,l=n?"dark":"light",s=a=>o.getPropertyValue(`--${a}`).trim(),i=a=>Object.fromEntries(Object.entries(A).map(([p,u])=>[p,a(u)]));return{page:e,dark:n,font:s("font"),mono:s("mono"),ink:o.color,ink2:r?o.color:s("ink2"),grid:s("grid"),grid2:s("grid2"),hatch:s("hatch"),line:s("line"),brand:s("brand"),goInk:s("go-ink"),error:s("error"),mark:i(({mark:a})=>a),text:i(({ink:a})=>a[l]),weights:a=>z(B.weights[l],e,a),scores:(a,p)=>z(B[a<0?"negative":"positive"][l],e,Math.abs(a)/(p||1))}}function q(t,e,n){let o=()=>{k.delete(t),M(t)},r=()=>{o(),e()},l=()=>{r(),setTimeout(r,300)},s=new MutationObserver(l);for(let u of[document.documentElement,document.body])s.observe(u,{attributes:!0,attributeFilter:["class","data-jp-theme-light","data-jp-theme-name","data-theme"]});for(let u of["(forced-colors: active)","(prefers-color-scheme: dark)"])matchMedia(u).addEventListener("change",l,{signal:n});let i=-1,a=new ResizeObserver(()=>{t.clientWidth!==i&&(i=t.clientWidth,r())});a.observe(t),t.isConnected&&o();let p=()=>{n.aborted||matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change",()=>{e(),p()},{once:!0,signal:n})};p(),n.addEventListener("abort",()=>{s.disconnect(),a.disconnect()})}function T(t){if([...document.querySelectorAll("style[data-attnlab]")].some(n=>n.textContent===t))return;let e=document.createElement("style");e.dataset.attnlab="",e.textContent=t,document.head.append(e)}function X(){let t=(e,n)=>Object.entries(A).map(([o,r])=>`--${o}${e}: ${n(r)};`).join(" ");return`.attnlab { ${t("",({mark:e})=>e)} ${t("-ink",({ink:e})=>e.light)} }
.attnlab[data-dark="true"] { ${t("-ink",({ink:e})=>e.dark)} }
`}T(X()+L);var tt=/^(.|Arrow\w+|Page\w+|Home|End|Enter|Escape)$/u;function P(t,e,n){q(t,e,n),et(t,n)}function et(t,e){let n=o=>{!(o.ctrlKey||o.metaKey||o.altKey||C(o))&&tt.test(o.key)&&t.contains(o.target)&&o.stopPropagation()};window.addEventListener("keydown",n,{capture:!0,signal:e})}function R(t,e){t.replaceChildren(...e.map(([n,o])=>o?d("span",{class:`role ${o}`},n):n))}T(F);var nt=700;function Lt({model:t,el:e,signal:n}){e.classList.add("attnlab","caption");let o=d("p",{class:"banner",role:"alert",hidden:!0}),r=d("p",{class:"say"}),l=d("div",{class:"sr-only","aria-live":"polite"}),s=d("pre",{tabindex:0,role:"region","aria-label":"the code of this picture"}),i=d("button",{class:"quiet",type:"button"},"copy"),a=d("details",{},d("summary",{},"the code of this picture"),d("div",{class:"code"},s,i)),p=D(t,n),u=d("div",{class:"foot",hidden:!0},a,p.button);e.replaceChildren(o,r,l,u,p.row);let g=!0,c=0,v=f=>{if(clearTimeout(c),g){g=!1;return}c=setTimeout(()=>{l.textContent=[h("whose"),f].filter(Boolean).join(": ")},nt)},m={sentence:null,code:null,error:null},O=()=>{M(e);let f=h("sentence")??[],b=h("error")??"",y=h("code")??"";b!==m.error&&(o.textContent=b,o.hidden=!b,r.classList.toggle("old",!!b));let _=f.map(([I])=>I).join("");f!==m.sentence&&JSON.stringify(f)!==JSON.stringify(m.sentence)&&(R(r,f),v(_)),p.button.hidden=!h("shares"),y!==m.code&&(s.textContent=y,a.hidden=!y),u.hidden=a.hidden&&p.button.hidden,Object.assign(m,{sentence:f,code:y,error:b})},{get:h,schedule:K}=$(t,O,n);i.addEventListener("click",async()=>{i.textContent=await w(s.textContent)?"copied":"select and copy by hand",setTimeout(()=>{i.textContent="copy"},1500)},{signal:n}),P(e,K,n),n.addEventListener("abort",()=>clearTimeout(c)),O()}export{Lt as render};

var C=`.attnlab.caption { margin-top: 16px; }
.attnlab.caption .say { margin: 0; font-size: 15px; line-height: 22px; min-height: 22px; overflow-wrap: anywhere; }
.attnlab.caption .say.old { opacity: .6; }
.attnlab.caption .role { font-weight: 600; }
.attnlab.caption .banner {
  display: flex; gap: 8px; margin: 0 0 8px; padding: 4px 0 4px 13px; border-left: 3px solid var(--error);
  color: var(--error); font-size: 14px; line-height: 22px; overflow-wrap: anywhere; white-space: pre-line; max-width: 80ch;
}
.attnlab.caption .banner[hidden] { display: none; }
.attnlab.caption details { margin-top: 12px; font-size: 13px; color: var(--ink2); }
.attnlab.caption summary { cursor: pointer; list-style: none; display: inline-flex; gap: 8px; line-height: 28px; }
.attnlab.caption summary::-webkit-details-marker { display: none; }
.attnlab.caption summary::before {
  content: ""; align-self: center; border-left: 5px solid currentColor;
  border-top: 4px solid transparent; border-bottom: 4px solid transparent;
}
.attnlab.caption details[open] summary::before { transform: rotate(90deg); }
.attnlab.caption .code { position: relative; margin-left: 13px; display: flex; align-items: flex-start; gap: 16px; }
.attnlab.caption pre {
  margin: 4px 0 0; padding: 0; font: 13px/1.45 var(--mono); color: var(--ink); background: none;
  overflow-x: auto; min-width: 0; tab-size: 4;
}
`;function l(t,e={},...n){return T(document.createElement(t),e,n)}function T(t,e,n){for(let[r,o]of Object.entries(e))r.startsWith("on")?t.addEventListener(r.slice(2),o):o!=null&&o!==!1&&t.setAttribute(r,o===!0?"":o);return t.append(...n),t}function E(t,e,n){window.addEventListener("keydown",r=>{t.contains(r.target)&&(e(r)?(r.preventDefault(),r.stopImmediatePropagation()):/^(Arrow|Page|Home|End|Enter|Escape| )/.test(r.key)&&r.stopPropagation())},{capture:!0,signal:n})}function A(t,e,n,r=()=>0){let o=null,i=!1,s=0,a=()=>{clearTimeout(s),s=0,!(i||n.aborted)&&(i=!0,requestAnimationFrame(()=>{i=!1,n.aborted||e()}))},c=()=>{o&&t.get("sequence")>=o.sequence&&(o=null);let p=r();p?s||=setTimeout(a,p):a()},d=p=>{p?.kind==="frame"&&(o=p,a())};return t.on("change",c),t.on("msg:custom",d),n.addEventListener("abort",()=>{t.off("change",c),t.off("msg:custom",d)}),{get:p=>o&&p in o.state?o.state[p]:t.get(p),schedule:a}}var F=`/* One look for every instrument: surfaces and fonts come from Jupyter's theme, roles have fixed colours. */
.attnlab {
  --bg: var(--jp-layout-color1, #fff); --bg2: var(--jp-layout-color2, #eee);
  --ink: var(--jp-content-font-color1, rgba(0, 0, 0, .87)); --ink2: rgba(0, 0, 0, .60);
  --line: var(--jp-border-color2, #e0e0e0); --brand: var(--jp-brand-color1, #1976d2);
  --font: var(--jp-content-font-family, system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif);
  --mono: var(--jp-code-font-family, Menlo, Consolas, "DejaVu Sans Mono", monospace);
  --query: #E69F00; --key: #56B4E9; --value: #009E73; --context: #CC79A7;
  --query-ink: #8A5A00; --key-ink: #10659A; --value-ink: #00704F; --context-ink: #96467A;
  --grid: rgba(0, 0, 0, .075); --grid2: rgba(0, 0, 0, .16); --hatch: rgba(0, 0, 0, .26);
  --go-ink: #fff; --error: #B3261E;
  color: var(--ink); font: 13px/1.5 var(--font); font-variant-numeric: tabular-nums;
  box-sizing: border-box; max-width: 1400px; overflow-wrap: break-word;
}
.attnlab[data-dark="true"] {
  --ink2: rgba(255, 255, 255, .66);
  --query-ink: #F0B73D; --key-ink: #7CC6F0; --value-ink: #3CC39B; --context-ink: #E09CC2;
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
`;var y={query:{mark:"#E69F00",ink:{light:"#8A5A00",dark:"#F0B73D"}},key:{mark:"#56B4E9",ink:{light:"#10659A",dark:"#7CC6F0"}},value:{mark:"#009E73",ink:{light:"#00704F",dark:"#3CC39B"}},context:{mark:"#CC79A7",ink:{light:"#96467A",dark:"#E09CC2"}}},k={weights:{light:["page","#C8CEE9","#919FD8","#6271BA","#3B4592","#1C215D"],dark:["page","#3C4363","#5C68A4","#8593D2","#B8C2EC","#F0F3FD"]},positive:{light:["page","#C7CEEA","#919ED7","#616FB9","#3A4490"],dark:["page","#3E4567","#606DAB","#8D9AD7","#C3CCEF"]},negative:{light:["page","#EBC6BA","#D38E78","#AE5B41","#7F3117"],dark:["page","#613D32","#A15D48","#D48871","#F2C1B2"]}};var j=(t,e,n)=>Math.max(e,Math.min(n,t));var R=t=>[1,3,5].map(e=>parseInt(t.slice(e,e+2),16));function P(t){let[e,n,r]=t.map(o=>(o/=255)<=.04045?o/12.92:((o+.055)/1.055)**2.4);return .2126*e+.7152*n+.0722*r}function D(t,e,n){let r=j(n,0,1)*(t.length-1),o=Math.min(t.length-2,Math.floor(r)),[i,s]=[t[o],t[o+1]].map(a=>a==="page"?e:R(a));return i.map((a,c)=>Math.round(a+(s[c]-a)*(r-o)))}function V(t){for(let e=t;e;e=e.parentElement??e.getRootNode()?.host){let n=getComputedStyle(e).backgroundColor.match(/[\d.]+/g)?.map(Number);if(n&&(n.length<4||n[3]>.5))return n.slice(0,3)}return[255,255,255]}var g=new WeakMap;function M(t){return g.has(t)||g.set(t,I(t)),g.get(t)}function I(t){let e=V(t.parentElement??t),n=P(e)<.179;t.dataset.dark=n;let r=getComputedStyle(t),o=n?"dark":"light",i=a=>r.getPropertyValue(`--${a}`).trim(),s=a=>Object.fromEntries(Object.entries(y).map(([c,d])=>[c,a(d)]));return{page:e,dark:n,font:i("font"),mono:i("mono"),ink:r.color,ink2:i("ink2"),grid:i("grid"),grid2:i("grid2"),hatch:i("hatch"),line:i("line"),brand:i("brand"),goInk:i("go-ink"),error:i("error"),mark:s(({mark:a})=>a),text:s(({ink:a})=>a[o]),weights:a=>D(k.weights[o],e,a),scores:(a,c)=>D(k[a<0?"negative":"positive"][o],e,Math.abs(a)/(c||1))}}function $(t,e,n){let r=()=>{g.delete(t),e()},o=()=>{r(),setTimeout(r,300)},i=new MutationObserver(o);for(let d of[document.documentElement,document.body])i.observe(d,{attributes:!0,attributeFilter:["class","data-jp-theme-light","data-jp-theme-name","data-theme"]});let s=-1,a=new ResizeObserver(()=>{t.clientWidth!==s&&(s=t.clientWidth,r())});a.observe(t);let c=()=>{n.aborted||matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change",()=>{e(),c()},{once:!0,signal:n})};c(),n.addEventListener("abort",()=>{i.disconnect(),a.disconnect()})}function v(t){if([...document.querySelectorAll("style[data-attnlab]")].some(n=>n.textContent===t))return;let e=document.createElement("style");e.dataset.attnlab="",e.textContent=t,document.head.append(e)}function W(){let t=(e,n)=>Object.entries(y).map(([r,o])=>`--${r}${e}: ${n(o)};`).join(" ");return`.attnlab { ${t("",({mark:e})=>e)} ${t("-ink",({ink:e})=>e.light)} }
.attnlab[data-dark="true"] { ${t("-ink",({ink:e})=>e.dark)} }
`}v(W()+F);function N(t,e){t.replaceChildren(...e.map(([n,r])=>r?l("span",{class:`role ${r}`},n):n))}v(C);var H=700;async function J(t){try{return await navigator.clipboard.writeText(t),!0}catch{let e=l("textarea",{class:"sr-only","aria-hidden":"true"});e.value=t,document.body.append(e),e.select();let n=document.execCommand("copy");return e.remove(),n}}function lt({model:t,el:e,signal:n}){e.classList.add("attnlab","caption");let r=l("p",{class:"banner",role:"alert",hidden:!0}),o=l("p",{class:"say"}),i=l("div",{class:"sr-only","aria-live":"polite"}),s=l("pre",{tabindex:0,role:"region","aria-label":"the code of this picture"}),a=l("button",{class:"quiet",type:"button"},"copy"),c=l("details",{},l("summary",{},"the code of this picture"),l("div",{class:"code"},s,a));e.replaceChildren(r,o,i,c);let d=!0,b=0,p=u=>{if(clearTimeout(b),d){d=!1;return}b=setTimeout(()=>{i.textContent=u},H)},f={sentence:null,code:null,error:null},w=()=>{M(e);let u=x("sentence")??[],m=x("error")??"",h=x("code")??"";m!==f.error&&(r.textContent=m,r.hidden=!m,o.classList.toggle("old",!!m));let q=u.map(([L])=>L).join("");u!==f.sentence&&JSON.stringify(u)!==JSON.stringify(f.sentence)&&(N(o,u),p(q)),h!==f.code&&(s.textContent=h,c.hidden=!h),Object.assign(f,{sentence:u,code:h,error:m})},{get:x,schedule:O}=A(t,w,n);a.addEventListener("click",async()=>{a.textContent=await J(s.textContent)?"copied":"select and copy by hand",setTimeout(()=>{a.textContent="copy"},1500)},{signal:n}),E(c,()=>!1,n),$(e,O,n),n.addEventListener("abort",()=>clearTimeout(b)),w()}export{lt as render};

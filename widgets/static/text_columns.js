var v=`.attnlab.attnlab-texts { display: grid; grid-template-columns: repeat(auto-fit, minmax(240px, 1fr)); gap: 8px 32px; max-width: 1000px; }
.attnlab-texts h3 { font: 600 13px var(--font); margin: 0 0 4px; }
.attnlab-texts p {
  font: 14px/22px var(--mono); white-space: pre-wrap; overflow-wrap: anywhere; margin: 0 0 4px; color: var(--ink2);
  overflow-y: auto; border-top: 1px solid var(--grid2); padding-top: 6px;
}
.attnlab-texts .word { color: var(--ink); font-weight: 600; }
.attnlab-texts .given { color: var(--query-ink); text-decoration: underline 1px; text-underline-offset: 4px; }
.attnlab-texts .share { margin: 0 0 6px; }
.attnlab-texts .track { height: 6px; background: var(--grid); }
.attnlab-texts .track span { display: block; height: 6px; }
`;function f(t,e={},...n){return S(document.createElement(t),e,n)}function S(t,e,n){for(let[o,r]of Object.entries(e))o.startsWith("on")?t.addEventListener(o.slice(2),r):r!=null&&r!==!1&&t.setAttribute(o,r===!0?"":r);return t.append(...n),t}function L(t,e,n){t.getAttribute(e)!==String(n)&&t.setAttribute(e,n)}function q(t,e){t.textContent!==e&&(t.textContent=e)}function g(t,...e){let n=[...t.childNodes];e.forEach((o,r)=>{let i=n[r];i?i.nodeName!==o.nodeName?i.replaceWith(o):o instanceof Element?P(i,o):q(i,o.textContent):t.append(o)});for(let o of n.slice(e.length))o.remove()}function P(t,e){for(let{name:n}of[...t.attributes])e.hasAttribute(n)||t.removeAttribute(n);for(let{name:n,value:o}of e.attributes)L(t,n,o);g(t,...e.childNodes)}var C=({key:t,shiftKey:e})=>e&&t==="Enter";function x(t,e,n,o){t.on(e,n),o.addEventListener("abort",()=>t.off(e,n),{once:!0})}function E(t,e,n,o=()=>0){let r=null,i=!1,s=0,l=()=>{clearTimeout(s),s=0,!(i||n.aborted)&&(i=!0,requestAnimationFrame(()=>{i=!1,n.aborted||e()}))},a=()=>r&&t.get("sequence")>=r.sequence,c=()=>{a()&&(r=null);let d=o();d?s||=setTimeout(l,d):l()},u=d=>{d?.kind==="answer"&&a()&&c(),d?.kind==="frame"&&(r=d,l())};return x(t,"change",c,n),x(t,"msg:custom",u,n),{get:d=>r&&d in r.state?r.state[d]:t.get(d),schedule:l}}var h=(t,e,n)=>Math.max(e,Math.min(n,t));function A(t){let e=t.data instanceof DataView?t.data:new DataView(t.data.buffer??t.data);return new Float32Array(e.buffer.slice(e.byteOffset,e.byteOffset+e.byteLength))}var B=`/* One look for every instrument: surfaces and fonts come from Jupyter's theme, roles have theirs from theme.json. */
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
`;var k={query:{mark:"#E69F00",ink:{light:"#8A5A00",dark:"#F0B73D"}},key:{mark:"#56B4E9",ink:{light:"#10659A",dark:"#7CC6F0"}},value:{mark:"#009E73",ink:{light:"#00704F",dark:"#3CC39B"}},context:{mark:"#CC79A7",ink:{light:"#96467A",dark:"#E09CC2"}}};var w={weights:{light:["page","#C8CEE9","#919FD8","#6271BA","#3B4592","#1C215D"],dark:["page","#3C4363","#5C68A4","#8593D2","#B8C2EC","#F0F3FD"]},positive:{light:["page","#C7CEEA","#919ED7","#616FB9","#3A4490"],dark:["page","#3E4567","#606DAB","#8D9AD7","#C3CCEF"]},negative:{light:["page","#EBC6BA","#D38E78","#AE5B41","#7F3117"],dark:["page","#613D32","#A15D48","#D48871","#F2C1B2"]}};var R=t=>[1,3,5].map(e=>parseInt(t.slice(e,e+2),16)),F=t=>`rgb(${t[0]}, ${t[1]}, ${t[2]})`;function I(t){let[e,n,o]=t.map(r=>(r/=255)<=.04045?r/12.92:((r+.055)/1.055)**2.4);return .2126*e+.7152*n+.0722*o}function $(t,e,n){let o=h(n,0,1)*(t.length-1),r=Math.min(t.length-2,Math.floor(o)),[i,s]=[t[r],t[r+1]].map(l=>l==="page"?e:R(l));return i.map((l,a)=>Math.round(l+(s[a]-l)*(o-r)))}function _(t){for(let e=t;e;e=e.parentElement??e.getRootNode()?.host){let n=getComputedStyle(e).backgroundColor.match(/[\d.]+/g)?.map(Number);if(n&&(n.length<4||n[3]>.5))return n.slice(0,3)}return[255,255,255]}var b=new WeakMap;function m(t){return b.has(t)||b.set(t,K(t)),b.get(t)}function K(t){let e=_(t.parentElement??t),n=I(e)<.179;t.dataset.dark=n;let o=getComputedStyle(t),r=matchMedia("(forced-colors: active)").matches,i=n?"dark":"light",s=a=>o.getPropertyValue(`--${a}`).trim(),l=a=>Object.fromEntries(Object.entries(k).map(([c,u])=>[c,a(u)]));return{page:e,dark:n,font:s("font"),mono:s("mono"),ink:o.color,ink2:r?o.color:s("ink2"),grid:s("grid"),grid2:s("grid2"),hatch:s("hatch"),line:s("line"),brand:s("brand"),goInk:s("go-ink"),error:s("error"),mark:l(({mark:a})=>a),text:l(({ink:a})=>a[i]),weights:a=>$(w.weights[i],e,a),scores:(a,c)=>$(w[a<0?"negative":"positive"][i],e,Math.abs(a)/(c||1))}}function j(t,e,n){let o=()=>{b.delete(t),m(t)},r=()=>{o(),e()},i=()=>{r(),setTimeout(r,300)},s=new MutationObserver(i);for(let u of[document.documentElement,document.body])s.observe(u,{attributes:!0,attributeFilter:["class","data-jp-theme-light","data-jp-theme-name","data-theme"]});for(let u of["(forced-colors: active)","(prefers-color-scheme: dark)"])matchMedia(u).addEventListener("change",i,{signal:n});let l=-1,a=new ResizeObserver(()=>{t.clientWidth!==l&&(l=t.clientWidth,r())});a.observe(t),t.isConnected&&o();let c=()=>{n.aborted||matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change",()=>{e(),c()},{once:!0,signal:n})};c(),n.addEventListener("abort",()=>{s.disconnect(),a.disconnect()})}function y(t){if([...document.querySelectorAll("style[data-attnlab]")].some(n=>n.textContent===t))return;let e=document.createElement("style");e.dataset.attnlab="",e.textContent=t,document.head.append(e)}function W(){let t=(e,n)=>Object.entries(k).map(([o,r])=>`--${o}${e}: ${n(r)};`).join(" ");return`.attnlab { ${t("",({mark:e})=>e)} ${t("-ink",({ink:e})=>e.light)} }
.attnlab[data-dark="true"] { ${t("-ink",({ink:e})=>e.dark)} }
`}y(W()+B);var H=/^(.|Arrow\w+|Page\w+|Home|End|Enter|Escape)$/u;function D(t,e,n){j(t,e,n),V(t,n)}function V(t,e){let n=o=>{!(o.ctrlKey||o.metaKey||o.altKey||C(o))&&H.test(o.key)&&t.contains(o.target)&&o.stopPropagation()};window.addEventListener("keydown",n,{capture:!0,signal:e})}function J(t,e=2){if(Number.isNaN(t))return"NaN";if(!Number.isFinite(t))return t<0?"−∞":"∞";let n=O(Math.abs(t),e);return(t<0&&Number(n)!==0?"−":"")+n}function O(t,e){let n=t*10**e;if(n<1e9&&Math.abs(n%1-.5)>1e-6)return t.toFixed(e);let[o,r]=t<1e21?t.toFixed(Math.min(100,e+30)).split("."):[String(t),""];if(!/^50*$/.test(r.slice(e)))return t.toFixed(e);let i=o+r.slice(0,e);return Number(i.at(-1))%2===0?[o,r.slice(0,e)].filter(Boolean).join("."):t.toFixed(e)}function T(t){return t>0&&t<=.005?"under 1 %":t>=.995&&t<1?"over 99 %":`${J(100*Number(O(t,2)),0)} %`}y(v);var U=t=>t.replace(/\n/g,`↵
`).replace(/ {3,}/g,e=>"␣".repeat(e.length));function kt({model:t,el:e,signal:n}){e.classList.add("attnlab","attnlab-texts");let{get:o,schedule:r}=E(t,i,n);function i(){m(e);let a=o("titles"),c=o("shares")?A(o("shares")):[];if(g(e,...o("texts").map((u,p)=>f("section",{"aria-label":a[p]??""},f("h3",{},a[p]??""),...p in c?[l(c[p])]:[],s(u)))),o("follow"))for(let u of e.querySelectorAll("p"))u.scrollTop=u.scrollHeight}function s(a){let c=a.filter(([,p])=>p==="given").map(([p])=>p),u=f("p",{tabindex:0,"aria-description":c.length?`given was “${c.join("")}”`:null},...a.map(([p,d])=>f("span",{class:d},U(p))));return u.style.height=`${o("height")}px`,u}function l(a){let c=f("span",{});return c.style.background=F(m(e).weights(.6)),c.style.width=`${100*h(a,0,1)}%`,f("div",{class:"share"},f("div",{class:"track","aria-hidden":"true"},c),f("span",{class:"hint"},`${T(a)} ${o("measure")}`))}D(e,r,n),i()}export{kt as render};

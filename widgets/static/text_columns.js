var k=`.attnlab.attnlab-texts { display: grid; grid-template-columns: repeat(auto-fit, minmax(240px, 1fr)); gap: 8px 32px; max-width: 1000px; }
.attnlab-texts h4 { font: 600 13px var(--font); margin: 0 0 4px; }
.attnlab-texts p {
  font: 14px/22px var(--mono); white-space: pre-wrap; overflow-wrap: anywhere; margin: 0 0 4px; color: var(--ink2);
  overflow-y: auto; border-top: 1px solid var(--grid2); padding-top: 6px;
}
.attnlab-texts .word { color: var(--ink); font-weight: 600; }
.attnlab-texts .given { color: var(--query-ink); }
.attnlab-texts .share { margin: 0 0 6px; }
.attnlab-texts .track { height: 6px; background: var(--grid); }
.attnlab-texts .track span { display: block; height: 6px; background: #6271BA; }
`;function p(t,e={},...n){return D(document.createElement(t),e,n)}function D(t,e,n){for(let[o,r]of Object.entries(e))o.startsWith("on")?t.addEventListener(o.slice(2),r):r!=null&&r!==!1&&t.setAttribute(o,r===!0?"":r);return t.append(...n),t}function v(t,e,n,o=()=>0){let r=null,i=!1,l=0,a=()=>{clearTimeout(l),l=0,!(i||n.aborted)&&(i=!0,requestAnimationFrame(()=>{i=!1,n.aborted||e()}))},s=()=>r&&t.get("sequence")>=r.sequence,c=()=>{s()&&(r=null);let u=o();u?l||=setTimeout(a,u):a()},d=u=>{u?.kind==="answer"&&s()&&c(),u?.kind==="frame"&&(r=u,a())};return t.on("change",c),t.on("msg:custom",d),n.addEventListener("abort",()=>{t.off("change",c),t.off("msg:custom",d)}),{get:u=>r&&u in r.state?r.state[u]:t.get(u),schedule:a}}var b=(t,e,n)=>Math.max(e,Math.min(n,t));function w(t){let e=t.data instanceof DataView?t.data:new DataView(t.data.buffer??t.data);return new Float32Array(e.buffer.slice(e.byteOffset,e.byteOffset+e.byteLength))}var y=`/* One look for every instrument: surfaces and fonts come from Jupyter's theme, roles have fixed colours. */
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
`;var m={query:{mark:"#E69F00",ink:{light:"#8A5A00",dark:"#F0B73D"}},key:{mark:"#56B4E9",ink:{light:"#10659A",dark:"#7CC6F0"}},value:{mark:"#009E73",ink:{light:"#00704F",dark:"#3CC39B"}},context:{mark:"#CC79A7",ink:{light:"#96467A",dark:"#E09CC2"}}},g={weights:{light:["page","#C8CEE9","#919FD8","#6271BA","#3B4592","#1C215D"],dark:["page","#3C4363","#5C68A4","#8593D2","#B8C2EC","#F0F3FD"]},positive:{light:["page","#C7CEEA","#919ED7","#616FB9","#3A4490"],dark:["page","#3E4567","#606DAB","#8D9AD7","#C3CCEF"]},negative:{light:["page","#EBC6BA","#D38E78","#AE5B41","#7F3117"],dark:["page","#613D32","#A15D48","#D48871","#F2C1B2"]}};var M=t=>[1,3,5].map(e=>parseInt(t.slice(e,e+2),16));function q(t){let[e,n,o]=t.map(r=>(r/=255)<=.04045?r/12.92:((r+.055)/1.055)**2.4);return .2126*e+.7152*n+.0722*o}function E(t,e,n){let o=b(n,0,1)*(t.length-1),r=Math.min(t.length-2,Math.floor(o)),[i,l]=[t[r],t[r+1]].map(a=>a==="page"?e:M(a));return i.map((a,s)=>Math.round(a+(l[s]-a)*(o-r)))}function N(t){for(let e=t;e;e=e.parentElement??e.getRootNode()?.host){let n=getComputedStyle(e).backgroundColor.match(/[\d.]+/g)?.map(Number);if(n&&(n.length<4||n[3]>.5))return n.slice(0,3)}return[255,255,255]}var h=new WeakMap;function A(t){return h.has(t)||h.set(t,O(t)),h.get(t)}function O(t){let e=N(t.parentElement??t),n=q(e)<.179;t.dataset.dark=n;let o=getComputedStyle(t),r=n?"dark":"light",i=a=>o.getPropertyValue(`--${a}`).trim(),l=a=>Object.fromEntries(Object.entries(m).map(([s,c])=>[s,a(c)]));return{page:e,dark:n,font:i("font"),mono:i("mono"),ink:o.color,ink2:i("ink2"),grid:i("grid"),grid2:i("grid2"),hatch:i("hatch"),line:i("line"),brand:i("brand"),goInk:i("go-ink"),error:i("error"),mark:l(({mark:a})=>a),text:l(({ink:a})=>a[r]),weights:a=>E(g.weights[r],e,a),scores:(a,s)=>E(g[a<0?"negative":"positive"][r],e,Math.abs(a)/(s||1))}}function F(t,e,n){let o=()=>{h.delete(t),e()},r=()=>{o(),setTimeout(o,300)},i=new MutationObserver(r);for(let c of[document.documentElement,document.body])i.observe(c,{attributes:!0,attributeFilter:["class","data-jp-theme-light","data-jp-theme-name","data-theme"]});let l=-1,a=new ResizeObserver(()=>{t.clientWidth!==l&&(l=t.clientWidth,o())});a.observe(t);let s=()=>{n.aborted||matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change",()=>{e(),s()},{once:!0,signal:n})};s(),n.addEventListener("abort",()=>{i.disconnect(),a.disconnect()})}function x(t){if([...document.querySelectorAll("style[data-attnlab]")].some(n=>n.textContent===t))return;let e=document.createElement("style");e.dataset.attnlab="",e.textContent=t,document.head.append(e)}function S(){let t=(e,n)=>Object.entries(m).map(([o,r])=>`--${o}${e}: ${n(r)};`).join(" ");return`.attnlab { ${t("",({mark:e})=>e)} ${t("-ink",({ink:e})=>e.light)} }
.attnlab[data-dark="true"] { ${t("-ink",({ink:e})=>e.dark)} }
`}x(S()+y);function L(t,e=2){if(Number.isNaN(t))return"NaN";if(!Number.isFinite(t))return t<0?"−∞":"∞";let n=T(Math.abs(t),e);return(t<0&&Number(n)!==0?"−":"")+n}function T(t,e){let n=t*10**e;if(n<1e9&&Math.abs(n%1-.5)>1e-6)return t.toFixed(e);let[o,r]=t<1e21?t.toFixed(Math.min(100,e+30)).split("."):[String(t),""];if(!/^50*$/.test(r.slice(e)))return t.toFixed(e);let i=o+r.slice(0,e);return Number(i.at(-1))%2===0?[o,r.slice(0,e)].filter(Boolean).join("."):t.toFixed(e)}function B(t){return t>0&&t<.005?"under 1 %":t>=.995&&t<1?"over 99 %":`${L(100*t,0)} %`}x(k);var z=t=>t.replace(/\n/g,`↵
`).replace(/ {3,}/g,e=>"·".repeat(e.length));function rt({model:t,el:e,signal:n}){e.classList.add("attnlab","attnlab-texts");let{get:o,schedule:r}=v(t,i,n);function i(){A(e);let s=o("titles"),c=o("shares")?w(o("shares")):[];if(e.replaceChildren(...o("texts").map((d,f)=>p("section",{"aria-label":s[f]??""},p("h4",{},s[f]??""),...f in c?[a(c[f])]:[],l(d)))),o("follow"))for(let d of e.querySelectorAll("p"))d.scrollTop=d.scrollHeight}function l(s){let c=p("p",{tabindex:0},...s.map(([d,f])=>p("span",{class:f},z(d))));return c.style.height=`${o("height")}px`,c}function a(s){let c=p("span",{});return c.style.width=`${100*b(s,0,1)}%`,p("div",{class:"share"},p("div",{class:"track","aria-hidden":"true"},c),p("span",{class:"hint"},`${B(s)} ${o("measure")}`))}F(e,r,n),i()}export{rt as render};

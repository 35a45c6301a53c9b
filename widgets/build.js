// The bundles that the page loads: one for each instrument, for the controls, the caption, the loader and the pages without a kernel, minified, in
// `static/`. `node widgets/build.js` writes them; with `--check` it says which are not what the sources give.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const WIDGETS = fileURLToPath(new URL(".", import.meta.url));
const ROOT = join(WIDGETS, "..");

// The scripts of an instrument that become bundles: the one of its name, and those that begin with it.
const entries = (name) =>
  readdirSync(join(WIDGETS, "instruments", name)).filter(
    (file) => file === `${name}.js` || file.startsWith(`${name}_`),
  );

// Folder of bundles -> the scripts it is built from.
function sources() {
  const instruments = readdirSync(join(WIDGETS, "instruments"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("_"))
    .flatMap(({ name }) => entries(name).map((script) => join(WIDGETS, "instruments", name, script)));
  const base = ["js/loader.js", "controls.js", "caption.js", "offline.js"].map((name) => join(WIDGETS, "base", name));
  return {
    [join(WIDGETS, "static")]: [...base, ...instruments],
    [join(ROOT, "tests", "support", "static")]: [join(ROOT, "tests", "support", "numbers.js")],
  };
}

async function bundles(folder, scripts) {
  const { outputFiles } = await build({
    entryPoints: scripts.map((path) => ({ in: path, out: basename(path, ".js") })),
    outdir: folder,
    write: false,
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    loader: { ".css": "text" },
    logLevel: "warning",
  });
  return outputFiles;
}

function old(folder) {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return [];
  }
}

const read = (path) => {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
};

const wrong = [];
for (const [folder, scripts] of Object.entries(sources())) {
  const made = await bundles(folder, scripts);
  const differing = made.filter(({ path, contents }) => !read(path)?.equals(contents));
  const stray = old(folder).filter((path) => !made.some((one) => one.path === path));
  wrong.push(...[...differing.map(({ path }) => path), ...stray].map((path) => relative(ROOT, path)));
  if (process.argv.includes("--check")) continue;
  for (const { path, contents } of differing) writeFileSync(path, contents);
  for (const path of stray) rmSync(path);
}
if (process.argv.includes("--check") && wrong.length) {
  console.error(`Not what the sources give: ${wrong.join(", ")}. Run: make scripts`);
  process.exit(1);
}
console.log(wrong.length ? `written: ${wrong.join(", ")}` : "The bundles are what the sources give.");

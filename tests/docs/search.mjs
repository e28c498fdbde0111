// Runs the site's own search worker: node search.mjs SITE QUERY prints the addresses it finds, best first.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const [site, query] = process.argv.slice(2);
const workers = join(site, "assets", "javascripts", "workers");
const name = readdirSync(workers).find((file) => /^search\..*\.js$/.test(file));
const index = JSON.parse(readFileSync(join(site, "search", "search_index.json"), "utf8"));

let listener;
const answers = [];
globalThis.self = globalThis;
globalThis.addEventListener = (type, found) => {
  if (type === "message") listener = found;
};
globalThis.postMessage = (data) => answers.push(data);
(0, eval)(readFileSync(join(workers, name), "utf8"));

await listener({ data: { type: 0, data: { ...index, options: { suggest: false } } } });
await listener({ data: { type: 2, data: query } });
const result = answers.at(-1).data;
for (const group of result.items) console.log(group[0].location);

// Bundles the extension into dist/extension.js, and the licences of what is bundled into dist/NOTICE.txt.

import * as fs from 'node:fs';
import * as path from 'node:path';
import { build } from 'esbuild';

const here = import.meta.dirname;
const made = await build({
  absWorkingDir: here,
  entryPoints: ['src/extension.ts'],
  outfile: 'dist/extension.js',
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20', // of the oldest editor that package.json admits
  external: ['vscode'],
  minify: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
});

const folders = new Set();
for (const input of Object.keys(made.metafile.inputs)) {
  const match = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
  if (match) {
    folders.add(match[1]);
  }
}
const notices = [...folders].sort().map((folder) => {
  const { name, version } = JSON.parse(fs.readFileSync(path.join(here, folder, 'package.json'), 'utf8'));
  const file = fs.readdirSync(path.join(here, folder)).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) {
    throw new Error(`${name} comes without its licence`);
  }
  return `${name} ${version}\n\n${fs.readFileSync(path.join(here, folder, file), 'utf8').trim()}\n`;
});
const title = 'dist/extension.js holds these packages:\n\n';
fs.writeFileSync(path.join(here, 'dist', 'NOTICE.txt'), title + notices.join(`\n${'-'.repeat(80)}\n\n`));

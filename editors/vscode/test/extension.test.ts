// The packaged extension in a stand-in for the editor, with a stand-in for the command: what users see and what the
// server is told.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';

import { Document, Editor, install } from './editor.ts';

interface Extension {
  activate(context: { subscriptions: { dispose(): unknown }[] }): { ready: Promise<void> };
  deactivate(): Promise<void> | undefined;
}

interface Entry {
  command?: string;
  words?: string[];
  method?: string;
  params?: { textDocument?: unknown; settings?: unknown; initializationOptions?: unknown };
  result?: unknown;
}

const BUNDLE = path.join(import.meta.dirname, '..', 'dist', 'extension.js');
const require = createRequire(import.meta.url);
const editor = new Editor();
install(editor);
const { activate, deactivate } = require(BUNDLE) as Extension;

let folder = '';
let log = '';
let context: { subscriptions: { dispose(): unknown }[] };
const environment = { ...process.env };

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'stridewise-test-'));
  log = path.join(folder, 'log');
  fs.writeFileSync(log, '');
  process.env['STRIDEWISE_TEST_LOG'] = log;
  process.env['PATH'] = path.join(folder, 'bin');
  editor.trusted = true;
  editor.folders = [path.join(folder, 'project')];
  fs.mkdirSync(path.join(folder, 'project'));
  context = { subscriptions: [] };
});

afterEach(async () => {
  await deactivate();
  context.subscriptions.forEach((one) => one.dispose());
  // A server that was told to end may still write its last word.
  fs.rmSync(folder, { recursive: true, maxRetries: 50, retryDelay: 20 });
  process.env = { ...environment };
  editor.settings.clear();
  editor.documents.length = 0;
  editor.collections.length = 0;
  for (const list of [editor.messages, editor.log, editor.executed, editor.statusBar, editor.opened]) {
    list.length = 0;
  }
  editor.answer = () => undefined;
  editor.activeTextEditor = undefined;
});

function tool(name: string): string {
  const file = path.join(folder, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const script = path.join(import.meta.dirname, 'tool.mjs');
  fs.writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`, { mode: 0o755 });
  return file;
}

function entries(): Entry[] {
  return fs.readFileSync(log, 'utf8').trim().split('\n').filter(Boolean).map((line) => JSON.parse(line) as Entry);
}

function told(method: string): Entry[] {
  return entries().filter((entry) => entry.method === method);
}

async function until(what: string, done: () => boolean): Promise<void> {
  for (let tries = 0; !done(); tries++) {
    assert.ok(tries < 3000, `never: ${what}\n${editor.log.join('\n')}\n${fs.readFileSync(log, 'utf8')}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function status(): string {
  return String(editor.statusBar.at(-1)?.['text']);
}

test('findings appear when a file is opened, follow edits and are counted', async () => {
  tool('bin/stridewise');
  await activate(context).ready;
  assert.match(status(), /^\$\(dashboard\) Stridewise$/);
  const file = path.join(folder, 'project', 'a b.c');
  const document = new Document(file, 'int a;\nslow();\n');
  editor.open(document);
  await until('a finding', () => editor.diagnostics(file).length === 1);
  const [found] = editor.diagnostics(file);
  assert.equal(found?.range.start.line, 1);
  assert.equal(found?.source, 'stridewise');
  assert.match(status(), /Stridewise: 1$/);
  editor.change(document, 'slow();\nslow();\n');
  await until('two findings', () => editor.diagnostics(file).length === 2);
  editor.change(document, 'fast();\n');
  await until('no finding', () => editor.diagnostics(file).length === 0);
  assert.match(status(), /Stridewise$/);
  editor.open(new Document(path.join(folder, 'x.py'), 'slow()', 'python'));
  assert.equal(told('textDocument/didOpen').length, 1);
});

test('the server gets the settings: at the start, when it asks and when they change', async () => {
  tool('bin/stridewise');
  editor.settings.set('stridewise.buildFolder', '${workspaceFolder}/out');
  editor.settings.set('stridewise.runFolders', ['runs/1']);
  await activate(context).ready;
  const wanted = {
    buildFolder: path.join(folder, 'project', 'out'), runFolders: ['runs/1'], rules: '', minConfidence: '',
    lintOnChange: true, codeLens: true, wholeProgram: true,
  };
  assert.deepEqual(told('initialize')[0]?.params?.initializationOptions, wanted);
  await until('an answer', () => entries().some((entry) => Array.isArray(entry.result)));
  assert.deepEqual(entries().find((entry) => Array.isArray(entry.result))?.result, [wanted]);
  const before = told('workspace/didChangeConfiguration').length;
  assert.equal(before, 0, 'what the server knows is not told again');
  editor.set('stridewise.rules', 'mem-*');
  await until('a notification', () => told('workspace/didChangeConfiguration').length > before);
  const settings = told('workspace/didChangeConfiguration').at(-1)?.params?.settings;
  assert.deepEqual(settings, { stridewise: { ...wanted, rules: 'mem-*' } });
});

test('a missing command is said once, with what to do', async () => {
  editor.answer = (offered) => offered[0];
  await activate(context).ready;
  const [message] = editor.messages;
  assert.equal(editor.messages.length, 1);
  assert.match(message?.text ?? '', /stridewise was not found\. Install Stridewise and have it on PATH, or set stridewise\.path/);
  assert.deepEqual(message?.actions, ['How to Install', 'Open Settings', 'Show Output']);
  const page = () => editor.executed.find((one) => one.name === 'markdown.showPreview');
  await until('a page', () => page() !== undefined);
  assert.match(String(page()?.words[0]), /^file:.*\/readme\.md$/i);
  assert.equal(editor.opened.length, 0, 'nothing of the network is opened');
  assert.match(status(), /warning/);
  const other = tool('other/sw');
  editor.set('stridewise.path', other);
  await until('running', () => status().includes('dashboard'));
  assert.ok(told('initialize').length === 1);
});

test('a server that cannot start is said', async () => {
  tool('bin/stridewise');
  process.env['STRIDEWISE_TEST_BROKEN'] = '1';
  await activate(context).ready;
  assert.equal(editor.messages.length, 1, 'said once');
  assert.match(editor.messages[0]?.text ?? '', /The server could not be started/);
  assert.ok(editor.log.some((line) => line.includes('the editor part is not installed')), editor.log.join('\n'));
  assert.match(status(), /warning/);
});

test('a server that does not answer can be restarted', async () => {
  tool('bin/stridewise');
  process.env['STRIDEWISE_TEST_SILENT'] = '1';
  const { ready } = activate(context);
  await until('a server', () => entries().some(({ command, words }) => command === 'lsp' && words?.length === 0));
  assert.match(status(), /loading/);
  delete process.env['STRIDEWISE_TEST_SILENT'];
  await editor.run('stridewise.restart');
  await ready;
  assert.match(status(), /dashboard/);
  assert.equal(told('initialize').length, 1);
});

test('a server that ends by itself is started again, but not for ever', async () => {
  tool('bin/stridewise');
  await activate(context).ready;
  const file = path.join(folder, 'project', 'a.c');
  const document = new Document(file, 'slow();\n');
  editor.open(document);
  await until('a finding', () => editor.diagnostics(file).length === 1);
  editor.change(document, 'crash();\n'); // and again whenever it gets this text
  await until('the end', () => editor.messages.length > 0);
  assert.equal(told('initialize').length, 5);
  assert.match(editor.messages[0]?.text ?? '', /keeps ending by itself/);
  assert.match(status(), /warning/);
  editor.change(document, 'fast();\n');
  await editor.run('stridewise.restart');
  assert.match(status(), /dashboard/);
});

test('nothing is started in an untrusted workspace until it is trusted', async () => {
  editor.trusted = false;
  const own = tool('project/build/bin/stridewise');
  editor.settings.set('stridewise.path', 'build/bin/stridewise');
  await activate(context).ready;
  assert.match(status(), /shield/);
  await editor.run('stridewise.explainRule', 'mem-x');
  await editor.run('stridewise.openReport');
  assert.deepEqual(entries(), []);
  assert.deepEqual(editor.messages.map(({ kind }) => kind), ['error', 'information']);
  editor.trusted = true;
  editor.settings.clear();
  editor.event('onDidGrantWorkspaceTrust').fire(undefined);
  await until('running', () => status().includes('dashboard'));
  assert.ok(editor.log.some((line) => line.includes(`${own}, from the workspace`)));
});

test('the server is restarted on demand', async () => {
  tool('bin/stridewise');
  await activate(context).ready;
  await Promise.all([editor.run('stridewise.restart'), editor.run('stridewise.restart')]);
  assert.equal(told('initialize').length, 3);
  assert.equal(told('shutdown').length, 2);
  assert.match(status(), /dashboard/);
  await editor.run('stridewise.showOutput');
  assert.equal(editor.log.at(-1), 'shown');
});

test('rules are explained: by name, under the cursor, chosen', async () => {
  tool('bin/stridewise');
  await activate(context).ready;
  await editor.run('stridewise.explainRule', 'mem-z');
  assert.equal(editor.page(), '# page of mem-z\n');
  const file = path.join(folder, 'project', 'a.c');
  const document = new Document(file, 'slow();\n');
  editor.open(document);
  await until('a finding', () => editor.diagnostics(file).length === 1);
  editor.activeTextEditor = { document, selection: { active: { line: 0 } } };
  await editor.run('stridewise.explainRule', '--output=/etc/passwd');
  assert.equal(editor.page(), '# page of mem-x\n');
  await editor.run('stridewise.explain', 'mem-w'); // what the server offers above lines and in actions
  assert.equal(editor.page(), '# page of mem-w\n');
  editor.activeTextEditor = { document, selection: { active: { line: 1 } } };
  editor.answer = (offered) => offered[1];
  await editor.run('stridewise.explainRule');
  assert.deepEqual(editor.choices.map(({ label }) => label), ['mem-x', 'mem-y']);
  assert.equal(editor.page(), '# page of mem-y\n');
  const asked = entries().filter(({ command }) => command === 'explain');
  assert.ok(asked.every(({ words }) => words?.[0] === '--format' && words[1] === 'markdown'));
});

test('the report of the last run is shown, or how to make one', async () => {
  tool('bin/stridewise');
  await activate(context).ready;
  await editor.run('stridewise.openReport');
  assert.match(editor.messages.at(-1)?.text ?? '', /no run in stridewise-out\. Watch one with/);
  const run = path.join(folder, 'project', '-r');
  fs.mkdirSync(run);
  fs.writeFileSync(path.join(run, 'run.json'), '{}');
  editor.set('stridewise.runFolders', ['-r']);
  await editor.run('stridewise.openReport');
  assert.equal(editor.page(), '## Stridewise: a report\n');
  assert.deepEqual(entries().at(-1)?.words ?? [], ['--format', 'markdown', run]);
});

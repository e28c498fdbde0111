// The packaged extension with the command itself, which STRIDEWISE_COMMAND names: findings while a file is edited.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import * as os from 'node:os';
import * as path from 'node:path';
import { test } from 'node:test';

import { ruleOf } from '../src/rules.ts';
import { Document, Editor, install } from './editor.ts';

const RULE = 'mem-struct-padding';
const CLEAN = `#include <stdlib.h>
struct particle { double position; int cell; int kind; };
struct particle *create(size_t count) { return malloc(count * sizeof(struct particle)); }
`;
const PADDED = CLEAN.replace('double position; int cell;', 'int cell; double position;');

test('the real server reports while a file is edited, explains, and ends in order', async () => {
  const editor = new Editor();
  install(editor);
  const bundle = path.join(import.meta.dirname, '..', 'dist', 'extension.js');
  const { activate, deactivate } = createRequire(import.meta.url)(bundle) as typeof import('../src/extension.ts');
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'stridewise test-'));
  const file = path.join(folder, 'part icles.c');
  fs.writeFileSync(file, CLEAN);
  const entry = { directory: folder, file, arguments: ['gcc', '-O2', '-c', file] };
  fs.mkdirSync(path.join(folder, 'build'));
  fs.writeFileSync(path.join(folder, 'build', 'compile_commands.json'), JSON.stringify([entry]));
  editor.folders = [folder];
  editor.settings.set('stridewise.path', process.env['STRIDEWISE_COMMAND']);
  editor.settings.set('stridewise.buildFolder', 'build');
  const until = async (what: string, done: () => boolean): Promise<void> => {
    for (let tries = 0; !done(); tries++) {
      assert.ok(tries < 12000, `never: ${what}\n${editor.log.join('\n')}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  const rules = (): (string | undefined)[] => editor.diagnostics(file).map((one) => ruleOf(one as never));
  const context = { subscriptions: [] as { dispose(): unknown }[] };
  try {
    await activate(context as never).ready;
    assert.deepEqual(editor.messages, []);
    const document = new Document(file, PADDED); // the file on disk has none
    editor.open(document);
    await until('a finding in unsaved text', () => rules().includes(RULE));
    const found = editor.diagnostics(file).find((one) => ruleOf(one as never) === RULE);
    assert.equal(found?.range.start.line, 1);
    editor.change(document, `// moved\n\n${PADDED}`);
    await until('the finding at its new line', () => editor.diagnostics(file)[0]?.range.start.line === 3);
    await editor.run('stridewise.explain', RULE);
    assert.match(editor.page(), new RegExp(`^# ${RULE}: `));
    editor.change(document, CLEAN);
    await until('no finding', () => !rules().includes(RULE));
    await editor.run('stridewise.restart');
    editor.change(document, PADDED);
    await until('the finding after a restart', () => rules().includes(RULE));
  } finally {
    await deactivate();
    context.subscriptions.forEach((one) => one.dispose());
    fs.rmSync(folder, { recursive: true, maxRetries: 50, retryDelay: 20 });
  }
  assert.ok(!editor.log.some((line) => /exited with code: [1-9]|crash|Traceback/.test(line)), editor.log.join('\n'));
});

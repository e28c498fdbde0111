// What needs no editor: finding the command, reading its version, the settings, and names of rules.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { test } from 'node:test';

import { expand, locate, type Surroundings } from '../src/locate.ts';
import { isRule, parseRules, ruleOf } from '../src/rules.ts';
import { readSettings } from '../src/settings.ts';
import { ask, examine, isOlder, parseVersion } from '../src/tool.ts';

function surroundings(programs: readonly string[], changes: Partial<Surroundings> = {}): Surroundings {
  return {
    setting: '',
    trusted: true,
    folders: ['/code', '/second'],
    home: '/home/me',
    searchPath: '.:bin:/usr/bin:/opt/bin',
    isProgram: (file) => programs.includes(file),
    ...changes,
  };
}

test('the workspace comes before PATH, and PATH is searched in order', () => {
  const every = ['/second/build/bin/stridewise', '/opt/bin/stridewise'];
  assert.deepEqual(locate(surroundings(every)), { command: every[0], from: 'the workspace' });
  assert.deepEqual(locate(surroundings(every.slice(1))), { command: every[1], from: 'PATH' });
  assert.deepEqual(locate(surroundings([])), { problem: 'The command stridewise was not found.' });
});

test('the setting comes first, and a wrong one is said', () => {
  const every = ['/opt/sw/stridewise', '/home/me/sw/stridewise', '/code/tools/sw', '/opt/bin/sw2', '/opt/bin/stridewise'];
  const command = (setting: string): unknown => {
    const found = locate(surroundings(every, { setting }));
    return 'command' in found ? found.command : found.problem;
  };
  assert.equal(command(' /opt/sw/stridewise '), '/opt/sw/stridewise');
  assert.equal(command('~/sw/stridewise'), '/home/me/sw/stridewise');
  assert.equal(command('tools/sw'), '/code/tools/sw');
  assert.equal(command('${workspaceFolder}/tools/sw'), '/code/tools/sw');
  assert.equal(command('sw2'), '/opt/bin/sw2');
  assert.match(String(command('/gone/stridewise')), /stridewise\.path is '\/gone\/stridewise', and no program/);
});

test('nothing of an untrusted workspace is run', () => {
  const every = ['/code/build/bin/stridewise', '/code/tools/sw', 'bin/stridewise', './stridewise'];
  for (const setting of ['', 'tools/sw', './tools/sw', 'sw']) {
    assert.ok('problem' in locate(surroundings(every, { trusted: false, setting })), setting);
  }
  // Entries of PATH that are relative would mean the workspace, even a trusted one.
  assert.ok('problem' in locate(surroundings(['bin/stridewise', './stridewise', 'stridewise'])));
});

test('variables are replaced', () => {
  assert.equal(expand('~', [], '/h'), '/h');
  assert.equal(expand('~other/x', [], '/h'), '~other/x');
  assert.equal(expand('${workspaceFolder}/$&', ["/a$'b"], '/h'), "/a$'b/$&");
});

test('versions are compared number by number', () => {
  assert.deepEqual(parseVersion('stridewise 1.20.3\n'), [1, 20, 3]);
  assert.equal(parseVersion('bash: stridewise 1.2.3'), undefined);
  for (const [own, least, older] of [
    ['0.9.9', '0.10.0', true],
    ['1.0.0', '0.10.0', false],
    ['0.10.0', '0.10.0', false],
  ] as const) {
    assert.equal(isOlder(own.split('.').map(Number), least.split('.').map(Number)), older, own);
  }
});

test('a command is examined before it is a server', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'stridewise-test-'));
  const command = path.join(folder, 'a tool; exit 0');
  const problem = async (script: string): Promise<string> => {
    fs.writeFileSync(command, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const said = await examine(command);
    return 'problem' in said ? said.problem : `fine: ${said.version}`;
  };
  try {
    assert.equal(await problem('case $1 in version) echo stridewise 7.8.9;; lsp) exit 0;; esac'), 'fine: 7.8.9');
    assert.match(await problem('case $1 in version) echo stridewise 7.8.9;; lsp) exit 2;; esac'), /7\.8\.9, which is too/);
    assert.match(await problem('echo stridewise 0.0.9'), /0\.0\.9, which is too old/);
    assert.match(await problem('echo no such package >&2; exit 3'), /does not answer as stridewise does: no such package/);
    assert.match(await problem('echo hello'), /does not answer as stridewise does/);
    fs.rmSync(command);
    const gone = await ask(command, ['version']);
    assert.equal(gone.status, 127);
    assert.match(gone.error, /ENOENT/);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});

test('settings of the wrong type count as not set', () => {
  const read = (values: Record<string, unknown>) => readSettings((name) => values[name], ['/code'], '/h');
  assert.deepEqual(read({}), {
    buildFolder: '', runFolders: [], rules: '', minConfidence: '', lintOnChange: true, codeLens: true,
    wholeProgram: true,
  });
  assert.deepEqual(read({ buildFolder: 3, runFolders: 'x', rules: {}, lintOnChange: 'no', codeLens: null }), read({}));
  const set = read({ buildFolder: '${workspaceFolder}/b', runFolders: ['~/r', 7, ''], lintOnChange: false });
  assert.deepEqual([set.buildFolder, set.runFolders, set.lintOnChange], ['/code/b', ['/h/r'], false]);
});

test('only names of rules are taken for rules', () => {
  assert.ok(isRule('mpi-tiny-messages'));
  for (const wrong of ['--output=x', 'a b', '', 'A', 'x'.repeat(65), 7, undefined, 'a\n']) {
    assert.ok(!isRule(wrong), String(wrong));
  }
  assert.equal(ruleOf({ source: 'stridewise', code: 'stridewise-mem-x' }), 'mem-x');
  assert.equal(ruleOf({ source: 'stridewise', code: { value: 'mem-x', target: undefined as never } }), 'mem-x');
  assert.equal(ruleOf({ source: 'clangd', code: 'mem-x' }), undefined);
  assert.equal(ruleOf({ source: 'stridewise', code: 7 }), undefined);
  assert.deepEqual(parseRules('[{"slug": "mem-x", "title": "t"}, {"slug": "--x"}, null, 3]'), [
    { rule: 'mem-x', label: 'mem-x', description: 't' },
  ]);
  assert.deepEqual(parseRules('{'), []);
});

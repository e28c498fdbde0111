// A stand-in for the command: says what it is asked for, and is a small language server that reports the lines with the
// word "slow" and writes what it is told into the file STRIDEWISE_TEST_LOG.

import * as fs from 'node:fs';

const note = (entry) => fs.appendFileSync(process.env.STRIDEWISE_TEST_LOG, `${JSON.stringify(entry)}\n`);
const [command, ...words] = process.argv.slice(2);
note({ command, words, cwd: process.cwd() });
switch (command) {
  case 'version':
    console.log('stridewise 9.0.0');
    break;
  case 'rules':
    console.log(JSON.stringify([{ slug: 'mem-x', title: 'one' }, { slug: 'mem-y', title: 'two' }]));
    break;
  case 'explain':
    console.log(`# page of ${words.at(-1)}`);
    break;
  case 'report':
    console.log('## Stridewise: a report');
    process.exitCode = 1;
    break;
  case 'lsp':
    if (!words.includes('--help')) {
      serve();
    }
    break;
  default:
    process.exitCode = 2;
}

function serve() {
  if (process.env.STRIDEWISE_TEST_BROKEN) {
    console.error('error: the editor part is not installed');
    process.exit(2);
  }
  if (process.env.STRIDEWISE_TEST_SILENT) {
    process.stdin.resume();
    return;
  }
  let waiting = Buffer.alloc(0);
  process.stdin.on('data', (data) => {
    waiting = Buffer.concat([waiting, data]);
    for (;;) {
      const head = waiting.indexOf('\r\n\r\n');
      const length = Number(/Content-Length: (\d+)/i.exec(waiting.subarray(0, head).toString())?.[1]);
      if (head < 0 || waiting.length < head + 4 + length) {
        return;
      }
      const message = JSON.parse(waiting.subarray(head + 4, head + 4 + length).toString());
      waiting = waiting.subarray(head + 4 + length);
      answer(message);
    }
  });
}

function send(message) {
  const text = JSON.stringify({ jsonrpc: '2.0', ...message });
  process.stdout.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}

function answer({ id, method, params, result }) {
  note({ method, params, result });
  if (method === 'initialize') {
    send({ id, result: { capabilities: { textDocumentSync: 1, executeCommandProvider: { commands: ['stridewise.explain'] } } } });
    const registrations = [
      { id: 'settings', method: 'workspace/didChangeConfiguration', registerOptions: { section: 'stridewise' } },
      { id: 'files', method: 'workspace/didChangeWatchedFiles', registerOptions: { watchers: [{ globPattern: '**/*.c' }] } },
    ];
    send({ id: 999, method: 'client/registerCapability', params: { registrations } });
    send({ id: 1000, method: 'workspace/configuration', params: { items: [{ section: 'stridewise' }] } });
  } else if (method === 'shutdown') {
    send({ id, result: null });
  } else if (method === 'exit') {
    process.exit(0);
  } else if (method === 'textDocument/didOpen' || method === 'textDocument/didChange') {
    const text = params.textDocument.text ?? params.contentChanges[0].text;
    if (text.includes('crash')) {
      process.exit(3);
    }
    const diagnostics = text.split('\n').flatMap((line, number) => {
      const range = { start: { line: number, character: 0 }, end: { line: number, character: line.length } };
      return line.includes('slow') ? [{ range, message: 'something is slow', source: 'stridewise', code: 'mem-x' }] : [];
    });
    send({ method: 'textDocument/publishDiagnostics', params: { uri: params.textDocument.uri, diagnostics } });
  }
}

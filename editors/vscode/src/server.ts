// The life of the server: found, examined, started, restarted, stopped.

import * as fs from 'node:fs';
import * as os from 'node:os';
import * as vscode from 'vscode';
import { type LanguageClientOptions, LanguageClient, RevealOutputChannelOn, State } from 'vscode-languageclient/node';

import { locate, type Located } from './locate.ts';
import { readSettings, type Settings } from './settings.ts';
import type { Status } from './status.ts';
import { examine } from './tool.ts';

const INSTALL = 'https://stridewise.readthedocs.io/en/latest/';
const INSTALL_ACTION = 'How to Install';
const SETTINGS_ACTION = 'Open Settings';
const OUTPUT_ACTION = 'Show Output';
const LANGUAGES = ['c', 'cpp'];

export function workspaceFolders(): string[] {
  return (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
}

/** The settings of a workspace folder, given by its address; of the whole window without one. */
export function settings(scope?: string): Settings {
  const uri = scope === undefined ? undefined : vscode.Uri.parse(scope);
  const section = vscode.workspace.getConfiguration('stridewise', uri);
  return readSettings((name) => section.get(name), uri ? [uri.fsPath] : workspaceFolders(), os.homedir());
}

/** The command, by the setting, the workspace and PATH as they are now. */
export function findCommand(): Located {
  return locate({
    setting: vscode.workspace.getConfiguration('stridewise').get('path', ''),
    trusted: vscode.workspace.isTrusted,
    folders: workspaceFolders(),
    home: os.homedir(),
    searchPath: process.env['PATH'] ?? '',
    isProgram,
  });
}

export class Server {
  readonly #output: vscode.LogOutputChannel;
  readonly #status: Status;
  #client: LanguageClient | undefined;
  #told = '';
  /** One start or stop at a time: commands may come while one is under way. */
  #work: Promise<void> = Promise.resolve();

  constructor(output: vscode.LogOutputChannel, status: Status) {
    this.#output = output;
    this.#status = status;
  }

  restart(): Promise<void> {
    return this.#next(async () => {
      await this.#stop();
      await this.#start();
    });
  }

  stop(): Promise<void> {
    return this.#next(() => this.#stop());
  }

  #next(step: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(step, step);
    return this.#work;
  }

  async #start(): Promise<void> {
    if (!vscode.workspace.isTrusted) {
      this.#status.set('untrusted', 'Trust the workspace to have it analysed.');
      return;
    }
    this.#status.set('starting', '');
    const found = findCommand();
    if ('problem' in found) {
      this.#fail(found.problem, `Install Stridewise and have it on PATH, or set stridewise.path.`);
      return;
    }
    const checked = await examine(found.command);
    if ('problem' in checked) {
      this.#fail(checked.problem, 'Install a newer one, or set stridewise.path.');
      return;
    }
    this.#output.info(`stridewise ${checked.version}: ${found.command}, from ${found.from}`);
    const client = new LanguageClient('stridewise', 'Stridewise', serverOptions(found.command), this.#options());
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Running) {
        this.#status.set('running', found.command);
      } else if (newState === State.Starting) {
        this.#status.set('starting', found.command);
      } else {
        this.#status.set('stopped', found.command);
      }
    });
    this.#client = client;
    try {
      await client.start();
    } catch (error) {
      this.#client = undefined;
      await client.dispose().catch(() => undefined);
      this.#fail(`The server could not be started: ${error instanceof Error ? error.message : String(error)}`, '');
    }
  }

  async #stop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    // A server that does not answer is left to the client, which ends its process.
    await client?.dispose().catch((error: unknown) => this.#output.warn(`while stopping: ${String(error)}`));
    this.#status.set('stopped', '');
  }

  #options(): LanguageClientOptions {
    return {
      documentSelector: LANGUAGES.map((language) => ({ scheme: 'file', language })),
      outputChannel: this.#output,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      diagnosticCollectionName: 'stridewise',
      initializationOptions: () => this.#tell(),
      middleware: {
        // The server would open a page on the web; the command's own is at hand without network.
        executeCommand: (name, words, next) =>
          name === 'stridewise.explain'
            ? vscode.commands.executeCommand('stridewise.explainRule', words[0])
            : next(name, words),
        workspace: {
          // The server asks for the section and gets it with variables replaced, like what it is told by itself.
          configuration: (wanted) =>
            wanted.items.map((item) => (item.section === 'stridewise' ? settings(item.scopeUri) : null)),
          didChangeConfiguration: async () => {
            const before = this.#told;
            const stridewise = this.#tell();
            if (before !== this.#told) {
              await this.#client?.sendNotification('workspace/didChangeConfiguration', { settings: { stridewise } });
            }
          },
        },
      },
    };
  }

  /** The settings, remembered as told: each notification makes the server analyse anew. */
  #tell(): Settings {
    const value = settings();
    this.#told = JSON.stringify([value, ...workspaceFolders().map((folder) => settings(vscode.Uri.file(folder).toString()))]);
    return value;
  }

  #fail(problem: string, remedy: string): void {
    const text = `${problem} ${remedy}`.trim();
    this.#status.set('failed', text);
    this.#output.error(text);
    const actions = [INSTALL_ACTION, SETTINGS_ACTION, OUTPUT_ACTION];
    void vscode.window.showWarningMessage(`Stridewise: ${text}`, ...actions).then((chosen) => {
      if (chosen === INSTALL_ACTION) {
        void vscode.env.openExternal(vscode.Uri.parse(INSTALL));
      } else if (chosen === SETTINGS_ACTION) {
        void vscode.commands.executeCommand('workbench.action.openSettings', 'stridewise.path');
      } else if (chosen === OUTPUT_ACTION) {
        this.#output.show(true);
      }
    });
  }
}

function serverOptions(command: string): { command: string; args: string[]; options: { cwd?: string } } {
  const folder = workspaceFolders()[0];
  return { command, args: ['lsp'], options: folder === undefined ? {} : { cwd: folder } };
}

function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

// The life of the server: found, examined, started, restarted, stopped.

import { type ChildProcess, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import {
  CloseAction,
  type CloseHandlerResult,
  ErrorAction,
  LanguageClient,
  type LanguageClientOptions,
  RevealOutputChannelOn,
  State,
} from 'vscode-languageclient/node';

import { locate, type Located } from './locate.ts';
import { readSettings, type Settings } from './settings.ts';
import type { Status } from './status.ts';
import { examine } from './tool.ts';

const INSTALL_ACTION = 'How to Install';
const SETTINGS_ACTION = 'Open Settings';
const OUTPUT_ACTION = 'Show Output';
// Fortran has as many names as there are extensions that colour it.
const LANGUAGES = [
  'c',
  'cpp',
  'fortran',
  'FortranFreeForm',
  'FortranFixedForm',
  'fortran-modern',
  'fortran_free-form',
  'fortran_fixed-form',
];
const START_SECONDS = 60;
const STOP_SECONDS = 5;
// A server that ends by itself is started again, but not one that always does.
const MOST_CRASHES = 4;
const CRASHES_SECONDS = 180;

/** The extension's own page: it says what to install, and needs no address that somebody else may own. */
function readme(): vscode.Uri {
  const folder = path.dirname(__dirname);
  const name = fs.readdirSync(folder).find((entry) => /^readme\.md$/i.test(entry)) ?? 'README.md';
  return vscode.Uri.file(path.join(folder, name));
}

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

/** Writes errors to the output; what the user needs to know is said once, by Server. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

export class Server {
  readonly #output: vscode.LogOutputChannel;
  readonly #status: Status;
  #client: LanguageClient | undefined;
  #process: ChildProcess | undefined;
  #starting = false;
  #failed = false;
  #crashes: number[] = [];
  #told = '';
  /** One start or stop at a time: commands may come while one is under way. */
  #work: Promise<void> = Promise.resolve();

  constructor(output: vscode.LogOutputChannel, status: Status) {
    this.#output = output;
    this.#status = status;
  }

  restart(): Promise<void> {
    this.#giveUp();
    return this.#next(async () => {
      await this.#stop();
      await this.#start();
    });
  }

  stop(): Promise<void> {
    this.#giveUp();
    return this.#next(() => this.#stop());
  }

  #next(step: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(step, step);
    return this.#work;
  }

  /** Ends a server that has not answered yet: nothing else stops a client that is starting. */
  #giveUp(): void {
    if (this.#starting) {
      this.#process?.kill('SIGKILL');
    }
  }

  async #start(): Promise<void> {
    if (!vscode.workspace.isTrusted) {
      this.#status.set('untrusted', 'Trust the workspace to have it analysed.');
      return;
    }
    this.#failed = false;
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
    const client = new QuietClient('stridewise', 'Stridewise', () => this.#spawn(found.command), this.#options());
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Running) {
        this.#status.set('running', found.command);
      } else if (newState === State.Starting) {
        this.#status.set('starting', found.command);
      } else if (!this.#failed) {
        this.#status.set('stopped', found.command);
      }
    });
    this.#client = client;
    this.#starting = true;
    const late = setTimeout(() => this.#giveUp(), START_SECONDS * 1000);
    try {
      await client.start();
    } catch (error) {
      this.#client = undefined;
      await client.dispose().catch(() => undefined);
      this.#fail(`The server could not be started: ${error instanceof Error ? error.message : String(error)}`, '');
    } finally {
      clearTimeout(late);
      this.#starting = false;
    }
  }

  #spawn(command: string): Promise<ChildProcess> {
    const folder = workspaceFolders()[0];
    const child = spawn(command, ['lsp'], folder === undefined ? {} : { cwd: folder });
    this.#process = child;
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('spawn', () => resolve(child));
    });
  }

  async #stop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await client?.dispose().catch((error: unknown) => this.#output.warn(`while stopping: ${String(error)}`));
    const child = this.#process;
    this.#process = undefined;
    if (child && child.exitCode === null && child.signalCode === null) {
      // It was asked to end; one that does not is ended.
      const late = setTimeout(() => child.kill('SIGKILL'), STOP_SECONDS * 1000);
      late.unref();
      child.once('exit', () => clearTimeout(late));
    }
    this.#status.set('stopped', '');
  }

  #options(): LanguageClientOptions {
    return {
      documentSelector: LANGUAGES.map((language) => ({ scheme: 'file', language })),
      outputChannel: this.#output,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      diagnosticCollectionName: 'stridewise',
      initializationOptions: () => this.#tell(),
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue }),
        closed: () => this.#closed(),
      },
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

  #closed(): CloseHandlerResult {
    const now = Date.now();
    this.#crashes = [...this.#crashes.filter((then) => now - then < CRASHES_SECONDS * 1000), now];
    if (this.#starting || this.#crashes.length <= MOST_CRASHES) {
      // While it is starting, start() says what is wrong.
      return { action: this.#starting ? CloseAction.DoNotRestart : CloseAction.Restart, handled: true };
    }
    this.#crashes = [];
    this.#fail('The server keeps ending by itself; the output says why.', 'Restart it with the command "Restart Server".');
    return { action: CloseAction.DoNotRestart, handled: true };
  }

  /** The settings, remembered as told: each notification makes the server analyse anew. */
  #tell(): Settings {
    const value = settings();
    this.#told = JSON.stringify([value, ...workspaceFolders().map((folder) => settings(vscode.Uri.file(folder).toString()))]);
    return value;
  }

  #fail(problem: string, remedy: string): void {
    const text = `${problem} ${remedy}`.trim();
    this.#failed = true;
    this.#status.set('failed', text);
    this.#output.error(text);
    const actions = [INSTALL_ACTION, SETTINGS_ACTION, OUTPUT_ACTION];
    void vscode.window.showWarningMessage(`Stridewise: ${text}`, ...actions).then((chosen) => {
      if (chosen === INSTALL_ACTION) {
        void vscode.commands.executeCommand('markdown.showPreview', readme());
      } else if (chosen === SETTINGS_ACTION) {
        void vscode.commands.executeCommand('workbench.action.openSettings', 'stridewise.path');
      } else if (chosen === OUTPUT_ACTION) {
        this.#output.show(true);
      }
    });
  }
}

function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

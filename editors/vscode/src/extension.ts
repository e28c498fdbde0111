// Entry of the extension: commands, and when the server is started.

import * as vscode from 'vscode';

import { explainRule, openReport, Pages, SCHEME } from './pages.ts';
import { findCommand, Server, settings, workspaceFolders } from './server.ts';
import { Status } from './status.ts';

let server: Server | undefined;

/** Does not wait for the server: until this returns, the editor runs no command of ours, not even a restart. */
export function activate(context: vscode.ExtensionContext): { ready: Promise<void> } {
  const output = vscode.window.createOutputChannel('Stridewise', { log: true });
  const status = new Status();
  const pages = new Pages();
  const own = new Server(output, status);
  server = own;

  const withCommand = async (work: (command: string) => Promise<void>): Promise<void> => {
    const found = findCommand();
    if ('problem' in found) {
      void vscode.window.showErrorMessage(`Stridewise: ${found.problem}`);
      return;
    }
    await work(found.command);
  };
  const { registerCommand } = vscode.commands;
  context.subscriptions.push(
    output,
    status,
    pages,
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, pages),
    registerCommand('stridewise.restart', () => own.restart()),
    registerCommand('stridewise.showOutput', () => output.show(true)),
    registerCommand('stridewise.explainRule', (rule: unknown) =>
      withCommand((command) => explainRule(command, pages, rule)),
    ),
    registerCommand('stridewise.openReport', () => {
      if (!vscode.workspace.isTrusted) {
        void vscode.window.showInformationMessage('Stridewise: trust the workspace to have its runs read.');
        return undefined;
      }
      return withCommand((command) => openReport(command, pages, workspaceFolders(), settings().runFolders));
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => own.restart()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('stridewise.path')) {
        void own.restart();
      }
    }),
  );
  return { ready: own.restart() };
}

export function deactivate(): Promise<void> | undefined {
  return server?.stop();
}

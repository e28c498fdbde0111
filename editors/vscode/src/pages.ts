// Pages that the command writes, shown in the editor's own Markdown preview, which runs no scripts and loads nothing.

import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import * as vscode from 'vscode';

import { isRule, parseRules, ruleOf } from './rules.ts';
import { ask } from './tool.ts';

export const SCHEME = 'stridewise';

export class Pages implements vscode.TextDocumentContentProvider {
  readonly #texts = new Map<string, string>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.path) ?? 'This page was closed; run the command again.';
  }

  async show(name: string, text: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}.md` });
    this.#texts.set(uri.path, text);
    this.#changed.fire(uri);
    await vscode.commands.executeCommand('markdown.showPreview', uri);
  }

  dispose(): void {
    this.#changed.dispose();
  }
}

/** Shows a rule's page: of the rule that is named, else of the finding under the cursor, else of one that is chosen. */
export async function explainRule(command: string, pages: Pages, named: unknown): Promise<void> {
  const rule = isRule(named) ? named : (ruleAtCursor() ?? (await chooseRule(command)));
  if (rule === undefined) {
    return;
  }
  const said = await ask(command, ['explain', '--format', 'markdown', rule]);
  if (said.status !== 0) {
    void vscode.window.showErrorMessage(`Stridewise: ${said.error}`);
    return;
  }
  await pages.show(rule, said.out);
}

function ruleAtCursor(): string | undefined {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    return undefined;
  }
  const line = editor.selection.active.line;
  const here = vscode.languages.getDiagnostics(editor.document.uri).filter((one) => one.range.start.line === line);
  return here.map(ruleOf).find((rule) => rule !== undefined);
}

async function chooseRule(command: string): Promise<string | undefined> {
  const said = await ask(command, ['rules', '--format', 'json']);
  const choices = said.status === 0 ? parseRules(said.out) : [];
  if (choices.length === 0) {
    void vscode.window.showErrorMessage(`Stridewise: the rules could not be listed. ${said.error}`);
    return undefined;
  }
  const chosen = await vscode.window.showQuickPick(choices, { title: 'Explain a rule', matchOnDescription: true });
  return chosen?.rule;
}

/** Shows the report of the newest runs: those of the settings, else the folder stridewise-out of each workspace folder. */
export async function openReport(
  command: string,
  pages: Pages,
  folders: readonly string[],
  runFolders: readonly string[],
): Promise<void> {
  const names = runFolders.length > 0 ? runFolders : ['stridewise-out'];
  const found: string[] = [];
  for (const folder of folders) {
    for (const name of names) {
      const run = path.resolve(folder, name);
      if (!found.includes(run) && (await exists(path.join(run, 'run.json')))) {
        found.push(run);
      }
    }
  }
  if (found.length === 0) {
    void vscode.window.showInformationMessage(
      `Stridewise: no run in ${names.join(', ')}. Watch one with: stridewise run -- mpirun -n 4 ./app`,
    );
    return;
  }
  const said = await ask(command, ['report', '--format', 'markdown', ...found], folders[0]);
  // 1: a finding at or above the configured level; 2 with a report: some of it could not be read, and it says so.
  if (said.out === '') {
    void vscode.window.showErrorMessage(`Stridewise: ${said.error}`);
    return;
  }
  await pages.show('Report of the last run', said.out);
}

async function exists(file: string): Promise<boolean> {
  return fs.access(file).then(
    () => true,
    () => false,
  );
}

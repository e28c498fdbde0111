// The item in the status bar: whether the server runs, and how many findings the open files have.

import * as vscode from 'vscode';

import { SOURCE } from './rules.ts';

export type State = 'starting' | 'running' | 'stopped' | 'failed' | 'untrusted';

const ICONS: Record<State, string> = {
  starting: '$(loading~spin)',
  running: '$(dashboard)',
  stopped: '$(circle-slash)',
  failed: '$(warning)',
  untrusted: '$(shield)',
};

export class Status {
  readonly #item = vscode.window.createStatusBarItem('stridewise', vscode.StatusBarAlignment.Left, 0);
  readonly #watch = vscode.languages.onDidChangeDiagnostics(() => this.#show());
  #state: State = 'stopped';
  #detail = '';

  constructor() {
    this.#item.name = 'Stridewise';
    this.#item.command = 'stridewise.showOutput';
    this.#show();
    this.#item.show();
  }

  set(state: State, detail: string): void {
    this.#state = state;
    this.#detail = detail;
    this.#show();
  }

  dispose(): void {
    this.#watch.dispose();
    this.#item.dispose();
  }

  #show(): void {
    const count = this.#state === 'running' ? findings() : 0;
    this.#item.text = `${ICONS[this.#state]} Stridewise${count > 0 ? `: ${count}` : ''}`;
    const counted = count > 0 ? `, ${count} ${count === 1 ? 'finding' : 'findings'}` : '';
    this.#item.tooltip = `Stridewise is ${this.#state}${counted}${this.#detail ? `\n${this.#detail}` : ''}`;
    const colour = this.#state === 'failed' ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    this.#item.backgroundColor = colour;
  }
}

function findings(): number {
  const every = vscode.languages.getDiagnostics().flatMap(([, diagnostics]) => diagnostics);
  return every.filter((diagnostic) => diagnostic.source === SOURCE).length;
}

// A stand-in for the module `vscode`, as far as the extension and its client library use it: tests open files, change
// settings and trust, press buttons, and look at what the extension shows. What is not here is an empty class or function.

import * as path from 'node:path';
import { registerHooks } from 'node:module';

type Any = Record<string, unknown>;

export class Disposable {
  readonly #end: () => unknown;
  constructor(end: () => unknown = () => undefined) {
    this.#end = end;
  }
  static from(...all: Disposable[]): Disposable {
    return new Disposable(() => all.forEach((one) => one.dispose()));
  }
  dispose(): unknown {
    return this.#end();
  }
}

export class EventEmitter<T> {
  readonly #listeners = new Set<(event: T) => unknown>();
  readonly event = (listener: (event: T) => unknown, self?: unknown): Disposable => {
    const bound = self === undefined ? listener : listener.bind(self);
    this.#listeners.add(bound);
    return new Disposable(() => this.#listeners.delete(bound));
  };
  fire(event: T): void {
    [...this.#listeners].forEach((listener) => listener(event));
  }
  dispose(): void {
    this.#listeners.clear();
  }
}

export class Uri {
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
  readonly query = '';
  readonly fragment = '';
  constructor(scheme: string, authority: string, where: string) {
    this.scheme = scheme;
    this.authority = authority;
    this.path = where;
  }
  static file(name: string): Uri {
    return new Uri('file', '', name);
  }
  static parse(text: string): Uri {
    const url = new URL(text);
    return new Uri(url.protocol.slice(0, -1), url.host, decodeURIComponent(url.pathname));
  }
  static from(parts: { scheme: string; authority?: string; path: string }): Uri {
    return new Uri(parts.scheme, parts.authority ?? '', parts.path);
  }
  get fsPath(): string {
    return this.path;
  }
  toString(): string {
    return `${this.scheme}://${this.authority}${this.path.split('/').map(encodeURIComponent).join('/')}`;
  }
}

export class Position {
  readonly line: number;
  readonly character: number;
  constructor(line: number, character: number) {
    this.line = line;
    this.character = character;
  }
}

export class Range {
  readonly start: Position;
  readonly end: Position;
  constructor(line: number | Position, character: number | Position, endLine = 0, endCharacter = 0) {
    this.start = line instanceof Position ? line : new Position(line, character as number);
    this.end = character instanceof Position ? character : new Position(endLine, endCharacter);
  }
}

export class Diagnostic {
  source: string | undefined;
  code: unknown;
  range: Range;
  message: string;
  severity: number;
  constructor(range: Range, message: string, severity = 0) {
    this.range = range;
    this.message = message;
    this.severity = severity;
  }
}

export class Document {
  readonly uri: Uri;
  readonly languageId: string;
  version = 1;
  isClosed = false;
  isDirty = false;
  isUntitled = false;
  #text: string;
  constructor(file: string, text: string, languageId = 'c') {
    this.uri = Uri.file(file);
    this.languageId = languageId;
    this.#text = text;
  }
  get fileName(): string {
    return this.uri.fsPath;
  }
  get lineCount(): number {
    return this.#text.split('\n').length;
  }
  getText(): string {
    return this.#text;
  }
  /** What the editor would report of the whole text being replaced. */
  replace(text: string): Any {
    const lines = this.#text.split('\n');
    const range = new Range(0, 0, lines.length - 1, lines.at(-1)?.length ?? 0);
    const rangeLength = this.#text.length;
    this.#text = text;
    this.version += 1;
    return { document: this, contentChanges: [{ range, rangeOffset: 0, rangeLength, text }] };
  }
}

class CancellationTokenSource {
  readonly #cancelled = new EventEmitter<void>();
  readonly token = { isCancellationRequested: false, onCancellationRequested: this.#cancelled.event };
  cancel(): void {
    this.token.isCancellationRequested = true;
    this.#cancelled.fire();
  }
  dispose(): void {
    this.#cancelled.dispose();
  }
}

class CodeActionKind {
  static readonly Empty = new CodeActionKind('');
  readonly value: string;
  constructor(value: string) {
    this.value = value;
  }
  append(part: string): CodeActionKind {
    return new CodeActionKind(this.value ? `${this.value}.${part}` : part);
  }
}

class ThemeColor {
  readonly id: string;
  constructor(id: string) {
    this.id = id;
  }
}

class DiagnosticCollection {
  readonly all = new Map<string, readonly Diagnostic[]>();
  readonly #changed: () => void;
  constructor(changed: () => void) {
    this.#changed = changed;
  }
  set(uri: Uri, diagnostics: readonly Diagnostic[] | undefined): void {
    this.all.set(uri.toString(), diagnostics ?? []);
    this.#changed();
  }
  delete(uri: Uri): void {
    this.all.delete(uri.toString());
    this.#changed();
  }
  clear(): void {
    this.all.clear();
    this.#changed();
  }
  dispose(): void {
    this.clear();
  }
}

export interface Message {
  kind: 'error' | 'warning' | 'information';
  text: string;
  actions: string[];
}

/** The editor: its state as tests set and see it, and the module that the extension gets. */
export class Editor {
  trusted = true;
  folders: string[] = [];
  readonly settings = new Map<string, unknown>();
  readonly messages: Message[] = [];
  readonly log: string[] = [];
  readonly executed: { name: string; words: unknown[] }[] = [];
  readonly handlers = new Map<string, (...words: unknown[]) => unknown>();
  readonly statusBar: Any[] = [];
  readonly documents: Document[] = [];
  readonly collections: DiagnosticCollection[] = [];
  readonly providers = new Map<string, { provideTextDocumentContent(uri: Uri): string }>();
  readonly opened: string[] = [];
  choices: readonly { label: string }[] = [];
  /** What is pressed in messages and chosen in lists. */
  answer: (offered: readonly unknown[]) => unknown = () => undefined;
  activeTextEditor: unknown;
  readonly #events = new Map<string, EventEmitter<unknown>>();

  event(name: string): EventEmitter<unknown> {
    const known = this.#events.get(name) ?? new EventEmitter<unknown>();
    this.#events.set(name, known);
    return known;
  }

  open(document: Document): void {
    this.documents.push(document);
    this.event('onDidOpenTextDocument').fire(document);
  }

  change(document: Document, text: string): void {
    this.event('onDidChangeTextDocument').fire(document.replace(text));
  }

  set(name: string, value: unknown): void {
    this.settings.set(name, value);
    const affectsConfiguration = (section: string): boolean => name === section || name.startsWith(`${section}.`);
    this.event('onDidChangeConfiguration').fire({ affectsConfiguration });
  }

  async run(name: string, ...words: unknown[]): Promise<unknown> {
    const handler = this.handlers.get(name);
    if (!handler) {
      throw new Error(`no command ${name}`);
    }
    return await handler(...words);
  }

  diagnostics(file: string): readonly Diagnostic[] {
    return this.collections.flatMap((one) => one.all.get(Uri.file(file).toString()) ?? []);
  }

  /** The page that the Markdown preview shows. */
  page(): string {
    const shown = this.executed.filter(({ name }) => name === 'markdown.showPreview').at(-1)?.words[0] as Uri;
    return this.providers.get(shown.scheme)?.provideTextDocumentContent(shown) ?? '';
  }

  get module(): Any {
    const changed = this.event('onDidChangeDiagnostics');
    const workspace = {
      textDocuments: this.documents,
      notebookDocuments: [],
      fs: { isWritableFileSystem: () => true },
      getConfiguration: (section?: string) => ({
        get: (name: string, fallback?: unknown) =>
          this.settings.get(section ? `${section}.${name}` : name) ?? fallback ?? undefined,
      }),
      getWorkspaceFolder: (uri: Uri) =>
        this.#folders().find((folder) => uri.fsPath.startsWith(folder.uri.fsPath + path.sep)),
      registerTextDocumentContentProvider: (
        scheme: string,
        provider: { provideTextDocumentContent(uri: Uri): string },
      ) => {
        this.providers.set(scheme, provider);
        return new Disposable();
      },
    };
    Object.defineProperty(workspace, 'isTrusted', { get: () => this.trusted });
    Object.defineProperty(workspace, 'workspaceFolders', { get: () => this.#folders() });
    const say =
      (kind: Message['kind']) =>
      async (text: string, ...actions: string[]): Promise<unknown> => {
        this.messages.push({ kind, text, actions });
        return Promise.resolve(this.answer(actions));
      };
    const line = (text: string): void => void this.log.push(text);
    const window = {
      createOutputChannel: (name: string) => ({
        name, append: line, appendLine: line, info: line, warn: line, error: line, debug: line, trace: line,
        show: () => line('shown'), dispose: () => undefined, clear: () => undefined, logLevel: 2,
        onDidChangeLogLevel: this.event('onDidChangeLogLevel').event,
      }),
      createStatusBarItem: () => {
        const item = { text: '', tooltip: '', show: () => undefined, dispose: () => undefined };
        this.statusBar.push(item);
        return item;
      },
      showErrorMessage: say('error'),
      showWarningMessage: say('warning'),
      showInformationMessage: say('information'),
      showQuickPick: (choices: readonly { label: string }[]) => {
        this.choices = choices;
        return Promise.resolve(this.answer(choices));
      },
      visibleTextEditors: [],
      tabGroups: empty({ all: [] }, this),
    };
    Object.defineProperty(window, 'activeTextEditor', { get: () => this.activeTextEditor });
    const languages = {
      createDiagnosticCollection: () => {
        const made = new DiagnosticCollection(() => changed.fire({ uris: [] }));
        this.collections.push(made);
        return made;
      },
      getDiagnostics: (uri?: Uri) => {
        const every = this.collections.flatMap((one) => [...one.all]);
        return uri ? every.filter(([name]) => name === uri.toString()).flatMap(([, found]) => found) : every;
      },
      match: (selector: readonly { scheme?: string; language?: string }[] | string, document: Document) =>
        Array.isArray(selector) &&
        selector.some((one) => one.language === document.languageId && one.scheme === document.uri.scheme)
          ? 10
          : 0,
    };
    const commands = {
      registerCommand: (name: string, handler: (...words: unknown[]) => unknown) => {
        if (this.handlers.has(name)) {
          throw new Error(`command '${name}' already exists`);
        }
        this.handlers.set(name, handler);
        return new Disposable(() => this.handlers.delete(name));
      },
      executeCommand: (name: string, ...words: unknown[]) => {
        this.executed.push({ name, words });
        return Promise.resolve(this.handlers.get(name)?.(...words));
      },
    };
    const env = {
      appName: 'Stand-in',
      language: 'en',
      openExternal: (uri: Uri) => Promise.resolve(void this.opened.push(uri.toString())),
    };
    const spaces = { workspace, window, languages, commands, env, extensions: {}, notebooks: {}, tests: {}, l10n: {} };
    const known: Any = {
      __esModule: true, version: '1.91.0', Disposable, EventEmitter, Uri, Position, Range, Diagnostic,
      CancellationTokenSource, CodeActionKind, ThemeColor,
      DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
      StatusBarAlignment: { Left: 1, Right: 2 },
      TextDocumentSaveReason: { Manual: 1, AfterDelay: 2, FocusOut: 3 },
    };
    for (const [name, members] of Object.entries(spaces)) {
      known[name] = empty(members, this);
    }
    return new Proxy(known, {
      get: (target, name) => target[name as string] ?? (typeof name === 'string' ? unknownClass(target, name) : undefined),
    });
  }

  #folders(): { uri: Uri; name: string; index: number }[] {
    return this.folders.map((folder, index) => ({ uri: Uri.file(folder), name: path.basename(folder), index }));
  }
}

/** A namespace of the module: what a test does not look at is an event that never comes or a function without effect. */
function empty(members: Any, editor: Editor): Any {
  return new Proxy(members, {
    get: (target, name) => {
      if (name in target || typeof name !== 'string') {
        return target[name as string];
      }
      if (/^on(Did|Will)/.test(name)) {
        return editor.event(name).event;
      }
      return /^(register|create|set)/.test(name) ? () => empty({ dispose: () => undefined }, editor) : undefined;
    },
    has: () => true,
  });
}

function unknownClass(target: Any, name: string): unknown {
  if (!/^[A-Z]/.test(name)) {
    return undefined;
  }
  target[name] = class {};
  return target[name];
}

/** Lets `require('vscode')` find that editor. */
export function install(editor: Editor): void {
  (globalThis as { editorOfTheTest?: unknown }).editorOfTheTest = editor.module;
  registerHooks({
    resolve: (name, context, next) =>
      name === 'vscode' ? { url: 'stridewise-test:vscode', format: 'commonjs', shortCircuit: true } : next(name, context),
    load: (name, context, next) =>
      name === 'stridewise-test:vscode'
        ? { format: 'commonjs', source: 'module.exports = globalThis.editorOfTheTest;', shortCircuit: true }
        : next(name, context),
  });
}

// Names of rules, as they come from diagnostics and from the command.

import type * as vscode from 'vscode';

export const SOURCE = 'stridewise';

export interface Choice extends vscode.QuickPickItem {
  rule: string;
}

/** Whether text can be a rule's name: what goes to the command line is never an option. */
export function isRule(text: unknown): text is string {
  return typeof text === 'string' && /^[a-z][a-z0-9-]{0,63}$/.test(text);
}

/** The rule of a diagnostic: codes are texts, or objects with a link to the rule's page. */
export function ruleOf(diagnostic: Pick<vscode.Diagnostic, 'source' | 'code'>): string | undefined {
  if (diagnostic.source !== SOURCE) {
    return undefined;
  }
  const code = typeof diagnostic.code === 'object' ? diagnostic.code.value : diagnostic.code;
  const rule = typeof code === 'string' ? code.replace(/^stridewise-/, '') : undefined;
  return isRule(rule) ? rule : undefined;
}

/** What `stridewise rules --format json` lists. */
export function parseRules(text: string): Choice[] {
  let listed: unknown;
  try {
    listed = JSON.parse(text);
  } catch {
    return [];
  }
  const choices: Choice[] = [];
  for (const entry of Array.isArray(listed) ? (listed as unknown[]) : []) {
    const { slug, title } = (entry ?? {}) as { slug?: unknown; title?: unknown };
    if (isRule(slug)) {
      choices.push({ rule: slug, label: slug, description: typeof title === 'string' ? title : '' });
    }
  }
  return choices;
}

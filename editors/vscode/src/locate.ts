// Which stridewise command to run. Knows nothing of the editor, so that it can be tested without one.

import * as path from 'node:path';

export interface Surroundings {
  /** The setting stridewise.path, "" where nobody set it. */
  setting: string;
  /** Whether the user trusts the workspace: what lies in an untrusted one is never started. */
  trusted: boolean;
  /** The workspace's folders, absolute. */
  folders: readonly string[];
  home: string;
  /** The variable PATH. */
  searchPath: string;
  isProgram: (file: string) => boolean;
}

export type Located = { command: string; from: string } | { problem: string };

export function locate(where: Surroundings): Located {
  const setting = where.setting.trim();
  if (setting) {
    const named = fromSetting(setting, where);
    return named
      ? { command: named, from: 'the setting stridewise.path' }
      : { problem: `The setting stridewise.path is '${setting}', and no program is there.` };
  }
  if (where.trusted) {
    for (const folder of where.folders) {
      const built = path.join(folder, 'build', 'bin', 'stridewise');
      if (where.isProgram(built)) {
        return { command: built, from: 'the workspace' };
      }
    }
  }
  const found = onPath('stridewise', where);
  return found ? { command: found, from: 'PATH' } : { problem: 'The command stridewise was not found.' };
}

/** Text of a setting with ~ and ${workspaceFolder} replaced. */
export function expand(text: string, folders: readonly string[], home: string): string {
  const first = folders[0] ?? '';
  const replaced = text.replaceAll(/\$\{workspace(?:Folder|Root)\}/g, () => first);
  return replaced === '~' || replaced.startsWith('~/') ? home + replaced.slice(1) : replaced;
}

function fromSetting(setting: string, where: Surroundings): string | undefined {
  const text = expand(setting, where.folders, where.home);
  if (!text.includes('/') && !text.includes(path.sep)) {
    return onPath(text, where);
  }
  const bases = path.isAbsolute(text) ? [''] : where.trusted ? where.folders : [];
  return bases.map((base) => path.join(base, text)).find(where.isProgram);
}

function onPath(name: string, where: Surroundings): string | undefined {
  // A relative entry would mean the workspace, or wherever the editor was started.
  const folders = where.searchPath.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return folders.map((folder) => path.join(folder, name)).find(where.isProgram);
}

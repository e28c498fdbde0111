// The section `stridewise` of the settings, as the server takes it.

import { expand } from './locate.ts';

export interface Settings {
  buildFolder: string;
  runFolders: string[];
  rules: string;
  minConfidence: string;
  lintOnChange: boolean;
  codeLens: boolean;
  wholeProgram: boolean;
}

/** Reads one setting of the section; undefined where it has no value. */
export type Reader = (name: keyof Settings) => unknown;

/** Values of the wrong type, which the editor marks in settings.json, count as not set. */
export function readSettings(read: Reader, folders: readonly string[], home: string): Settings {
  const text = (name: keyof Settings): string => {
    const value = read(name);
    return typeof value === 'string' ? value : '';
  };
  const flag = (name: keyof Settings): boolean => {
    const value = read(name);
    return typeof value === 'boolean' ? value : true;
  };
  const runs = read('runFolders');
  return {
    buildFolder: expand(text('buildFolder'), folders, home),
    runFolders: (Array.isArray(runs) ? runs : [])
      .filter((run): run is string => typeof run === 'string' && run !== '')
      .map((run) => expand(run, folders, home)),
    rules: text('rules'),
    minConfidence: text('minConfidence'),
    lintOnChange: flag('lintOnChange'),
    codeLens: flag('codeLens'),
    wholeProgram: flag('wholeProgram'),
  };
}

// Runs the stridewise command for a short answer. Never through a shell.

import { execFile } from 'node:child_process';

export const LEAST_VERSION = '0.1.0';
const SECONDS = 30;
const MOST_BYTES = 16 << 20;

export interface Answer {
  status: number;
  out: string;
  error: string;
}

export function ask(command: string, words: readonly string[], folder?: string): Promise<Answer> {
  const options = {
    ...(folder === undefined ? {} : { cwd: folder }),
    encoding: 'utf8' as const,
    env: { ...process.env, NO_COLOR: '1' },
    timeout: SECONDS * 1000,
    maxBuffer: MOST_BYTES,
  };
  return new Promise((resolve) => {
    execFile(command, words, options, (failure, out, error) => {
      if (!failure) {
        resolve({ status: 0, out, error });
        return;
      }
      const status = typeof failure.code === 'number' ? failure.code : 127;
      resolve({ status, out, error: error.trim() || failure.message });
    });
  });
}

/** The numbers of "stridewise 1.2.3", or undefined where that is something else. */
export function parseVersion(text: string): readonly number[] | undefined {
  const match = /^stridewise (\d+)\.(\d+)\.(\d+)/.exec(text);
  return match ? match.slice(1).map(Number) : undefined;
}

export function isOlder(version: readonly number[], least: readonly number[]): boolean {
  for (const [index, number] of least.entries()) {
    const own = version[index] ?? 0;
    if (own !== number) {
      return own < number;
    }
  }
  return false;
}

/** What is wrong with the command as a server for this extension, or its version. */
export async function examine(command: string): Promise<{ version: string } | { problem: string }> {
  const said = await ask(command, ['version']);
  const version = said.status === 0 ? parseVersion(said.out) : undefined;
  if (!version) {
    const why = said.error.split('\n')[0] ?? '';
    return { problem: `${command} does not answer as stridewise does${why ? `: ${why}` : '.'}` };
  }
  const shown = version.join('.');
  const least = LEAST_VERSION.split('.').map(Number);
  const help = isOlder(version, least) ? undefined : await ask(command, ['lsp', '--help']);
  if (help?.status !== 0) {
    return {
      problem: `${command} is version ${shown}, which is too old for this extension; it needs ${LEAST_VERSION} or newer with the command 'stridewise lsp'.`,
    };
  }
  return { version: shown };
}

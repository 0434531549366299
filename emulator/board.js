#!/usr/bin/env node
/** The emulated board's command line: see board/main.js. */
import { fileURLToPath } from 'node:url';

/** A sentence in place of Node's stack trace; nothing of ours is missing. */
function sayMissing(error) {
  const name = /^Cannot find package '([^']+)'/.exec(error.message)?.[1];
  if (error.code !== 'ERR_MODULE_NOT_FOUND' || !name) throw error;
  const folder = fileURLToPath(new URL('.', import.meta.url));
  process.stderr.write(`board: the npm package ${name} is missing: npm ci --prefix '${folder}' installs it, and so does ./run demo\n`);
  return 1;
}

const start = async () => {
  const { main } = await import('./board/main.js');
  return main(process.argv.slice(2));
};

process.exitCode = await start().catch(sayMissing);

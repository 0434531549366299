#!/usr/bin/env node
/** The emulated board's command line: see board/main.js. */
import { main } from './board/main.js';

process.exitCode = await main(process.argv.slice(2));

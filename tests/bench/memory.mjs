#!/usr/bin/env node
/**
 * memory.mjs: code, constants, static memory and the deepest stack of each
 * folder of core/, for the RP2040 (Cortex-M0+, -Os), as a Markdown table.
 *
 * The stack is the worst path through the call graph that gcc writes
 * (-fcallgraph-info=su), from any function other folders may call. Block device
 * functions, called through pointers, come on top; core/ has no recursion.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const core = path.join(root, 'core');
const flags = ['-mcpu=cortex-m0plus', '-mthumb', '-std=c11', '-Os', '-ffreestanding', '-ffunction-sections', `-I${core}/include`];
const scratch = mkdtempSync(path.join(os.tmpdir(), 'jumpcore-memory-'));

/** Compile; returns the object's path. @param {string} source */
function compile(source) {
  const object = path.join(scratch, `${path.relative(core, source).replaceAll('/', '_')}.o`);
  execFileSync('arm-none-eabi-gcc', [...flags, '-fcallgraph-info=su', '-c', source, '-o', object]);
  return object;
}

/** Add the functions and calls of one .ci file. */
function readGraph(file, stack, calls) {
  const text = readFileSync(file, 'utf8');
  for (const [, name, bytes] of text.matchAll(/node: \{ title: "([^"]+)" label: "[^"]*?(\d+) bytes \(/g)) stack.set(name, Number(bytes));
  for (const [, from, to] of text.matchAll(/edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"/g)) {
    if (!calls.has(from)) calls.set(from, new Set());
    calls.get(from).add(to);
  }
}

/** Deepest stack from `name` on. */
function deepest(name, stack, calls, seen = new Map(), open = new Set()) {
  if (seen.has(name)) return seen.get(name);
  if (open.has(name)) throw new Error(`recursion through ${name}`);
  open.add(name);
  let below = 0;
  for (const callee of calls.get(name) ?? []) below = Math.max(below, deepest(callee, stack, calls, seen, open));
  open.delete(name);
  const total = (stack.get(name) ?? 0) + below;
  seen.set(name, total);
  return total;
}

/** sizeof by the target's compiler. @param {string[]} types @param {string[]} headers */
function sizes(types, headers) {
  const source = path.join(scratch, 'sizes.c');
  writeFileSync(source, headers.map((h) => `#include "jumpcore/${h}"\n`).join('') + types.map((t) => `const char size_of_${t}[sizeof(${t})] = {1};\n`).join(''));
  const object = `${source}.o`;
  execFileSync('arm-none-eabi-gcc', [...flags, '-c', source, '-o', object]);
  const symbols = execFileSync('arm-none-eabi-nm', ['-S', object], { encoding: 'utf8' });
  return types.map((t) => [t, Number.parseInt(new RegExp(`^\\S+ (\\S+) \\S size_of_${t}$`, 'm').exec(symbols)[1], 16)]);
}

const folders = ['.', ...readdirSync(core).filter((f) => f !== 'include' && statSync(path.join(core, f)).isDirectory())];
const stack = new Map();
const calls = new Map();
const rows = [];
for (const folder of folders) {
  const sources = readdirSync(path.join(core, folder)).filter((f) => f.endsWith('.c')).map((f) => path.join(core, folder, f));
  if (sources.length === 0) continue;
  const objects = sources.map(compile);
  for (const object of objects) readGraph(object.replace(/\.o$/, '.ci'), stack, calls);
  const total = { text: 0, data: 0, bss: 0 };
  for (const line of execFileSync('arm-none-eabi-size', objects, { encoding: 'utf8' }).trim().split('\n').slice(1)) {
    const [text, data, bss] = line.trim().split(/\s+/).map(Number);
    Object.assign(total, { text: total.text + text, data: total.data + data, bss: total.bss + bss });
  }
  const names = execFileSync('arm-none-eabi-nm', ['--defined-only', ...objects], { encoding: 'utf8' });
  rows.push({ folder: folder === '.' ? 'core (itself)' : `core/${folder}`, ...total, public: [...names.matchAll(/ T (jc_\w+)/g)].map((m) => m[1]) });
}
console.log('| module | code and constants | static | deepest stack | in |');
console.log('|---|---:|---:|---:|---|');
for (const row of rows) {
  const [bytes, name] = row.public.map((f) => [deepest(f, stack, calls), f]).sort((a, b) => b[0] - a[0])[0];
  console.log(`| ${row.folder} | ${row.text} | ${row.data + row.bss} | ${bytes} | ${name} |`);
}
console.log('');
console.log('| in the caller\'s memory | bytes |');
console.log('|---|---:|');
const structs = sizes(['jc_volume', 'jc_file', 'jc_sample', 'jc_file_source', 'jc_dir', 'jc_dir_entry', 'jc_node', 'jc_extent'], ['volume.h', 'sample.h']);
for (const [type, bytes] of structs) console.log(`| ${type} | ${bytes} |`);
const open = structs.slice(0, 4).reduce((sum, [, bytes]) => sum + bytes, 0);
console.log(`| a volume and a sample being opened (the first four) | ${open} |`);
rmSync(scratch, { recursive: true });
process.exit(open <= 4096 ? 0 : 1);

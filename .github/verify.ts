import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Finding } from '../src/cli/offline-checks.ts';

/** Of each service by its name: one card, and what the doctor has found right with it, by its checks in its order. */
type Verified = Record<string, { card: string; had: string[] }>;

const [, , file = '.github/verified.json'] = process.argv;
const verified: Verified = JSON.parse(readFileSync(file, 'utf8'));

for (const [service, { card, had }] of Object.entries(verified)) {
  try {
    verify(service, card, had);
  } catch (error) {
    process.stderr.write(`${service}: ${error}\n`); // the others are asked all the same
    process.exitCode = 1;
  }
}

/** @throws Error when the doctor or GitHub says nothing */
function verify(service: string, card: string, had: readonly string[]): void {
  const doctor = ['doctor', '--service', service, '--id', card];
  const findings: Finding[] = JSON.parse(run(process.execPath, ['src/cli/main.ts', ...doctor, '--json']));
  const found = (check: string) => findings.find((each) => each.check === check);
  const end = had.findIndex((check) => found(check)?.noAnswer); // after that the doctor asks no more
  const answered = end === -1 ? had : had.slice(0, end);
  const differing = answered.flatMap((check) => {
    const { ok, cure = 'not found out' } = found(check) ?? {};
    return ok ? [] : `| \`${check}\` | ${quoted(cure)} |`;
  });
  const differ = `${differing.length} of ${answered.length} differ`;
  process.stdout.write(`${service}: ${answered.length === 0 ? 'no answer' : differ}\n`);
  if (differing.length === 0) return;
  const begin = `\`npm run ${doctor.join(' ').replace(' ', ' -- ')}\` no longer finds right (see docs/verified.md):`;
  tell(`${service} does not answer as it did`, [begin, '', '| what | now |', '| --- | --- |', ...differing].join('\n'));
}

/** As code within a cell: an answer from outside may mention anybody. */
function quoted(text: string): string {
  return `\`${text.replace(/[`|\s]+/g, ' ')}\``;
}

interface Issue {
  number: number;
  title: string;
  body: string;
  comments: { body: string }[];
}

/** In the open issue of this title, a new one if there is none, once for the same checks, whatever each says. */
function tell(title: string, body: string): void {
  const search = ['--search', `"${title}" in:title`, '--json', 'number,title,body,comments'];
  const open: Issue[] = JSON.parse(run('gh', ['issue', 'list', ...search]));
  const issue = open.find((each) => each.title === title);
  if (!issue) run('gh', ['issue', 'create', '--title', title, '--body', body]);
  else if (![issue, ...issue.comments].some((said) => checksIn(said.body) === checksIn(body)))
    run('gh', ['issue', 'comment', `${issue.number}`, '--body', body]);
}

function checksIn(body: string): string | undefined {
  return body.match(/^\| `[^`]+`/gm)?.join();
}

/** @returns what it has written, also where it found something wrong @throws Error when it wrote nothing and failed */
function run(program: string, args: readonly string[]): string {
  const { stdout, stderr, status, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0 && !stdout) throw error ?? new Error(stderr);
  return stdout;
}

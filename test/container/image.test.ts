import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { beforeAll, describe, expect, it } from 'vitest';
import { startBackends } from '../support/backends.ts';
import { type BotProcess, startProgram } from '../support/bot-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const dockerfile = await readFile('Dockerfile', 'utf8');
/** Each line as its name and its text. */
const instructions = [...dockerfile.replaceAll(/\\\n\s*/g, '').matchAll(/^([A-Z]+) (.+)$/gm)].map(
  ([, name = '', text = '']) => ({ name, text }),
);
const secondStage = instructions.findLastIndex(({ name }) => name === 'FROM');
const [packages, final] = [instructions.slice(0, secondStage), instructions.slice(secondStage)];

/** The value of an instruction in the stage that runs. */
function finalInstruction(wanted: string): string {
  return final.findLast(({ name }) => name === wanted)?.text ?? '';
}

/** What a stage takes out of this checkout. */
function copiedPaths(stage: typeof instructions): string[] {
  const copies = stage.filter(({ name, text }) => name === 'COPY' && !text.startsWith('--from='));
  return copies.flatMap(({ text }) => text.split(' ').slice(0, -1));
}

/** The image's `/app`, made by the Dockerfile's own lines without Docker. Gone when the file ends. */
async function buildImage(): Promise<string> {
  const app = temporaryFolder('image');
  const run = (text: string) => execFileSync('sh', ['-c', text.replaceAll('/app', app)], { cwd: app });
  for (const instruction of packages) {
    if (instruction.name === 'RUN') run(instruction.text);
    for (const path of copiedPaths([instruction])) await cp(path, join(app, path), { recursive: true });
  }
  const compile = final.find(({ text }) => text.startsWith('NODE_COMPILE_CACHE='))?.text ?? '';
  expect(String(run(compile))).toBe('');
  return app;
}

/** A program in the image. */
function run(cwd: string, [command, ...args]: string[], env: Record<string, string>): BotProcess {
  expect(command).toBe('node');
  return startProgram([process.execPath, ...args], { cwd, env });
}

const START: string[] = JSON.parse(finalInstruction('CMD'));

describe('the image', () => {
  let app: string;
  beforeAll(async () => {
    app = await buildImage();
  });

  it('takes only what is in this checkout and in .dockerignore', async () => {
    const copied = copiedPaths(instructions);
    expect(copied.filter((path) => !existsSync(path))).toEqual([]);
    const ignored = (await readFile('.dockerignore', 'utf8')).trim().split('\n');
    expect(ignored.toSorted()).toEqual(['*', ...copied.map((path) => `!${path}`)].sort());
  });

  it('runs no install script, neither while it is built nor later', () => {
    const installs = instructions.filter(({ name, text }) => name === 'RUN' && text.startsWith('npm'));
    expect(installs).toEqual([{ name: 'RUN', text: 'npm ci --omit=dev --omit=optional --ignore-scripts' }]);
  });

  it('can be read by its user, however narrow the rights of the checkout are', () => {
    const given = packages.findLast(({ name, text }) => name === 'RUN' && text.startsWith('chmod -R go+rX '));
    expect(given?.text.split(' ').slice(3).sort()).toEqual(['commands', 'package.json', 'src']);
    expect(copiedPaths(final)).toEqual([]); // straight from the checkout
  });

  it('runs as a user who is not root, as a process that hears signals', () => {
    expect(finalInstruction('USER')).toBe('node');
    expect(finalInstruction('STOPSIGNAL')).toBe('SIGTERM');
    expect(START).toEqual(['node', '--disable-sigusr1', 'src/main.ts']);
  });

  it('holds the registration of commands, which finds nothing to do when they are registered', async () => {
    const { env } = await startBackends();
    const diff = run(app, ['node', 'src/cli/main.ts', 'commands', 'diff'], env);
    expect(await diff.ended).toBe(0);
  });

  it('says which version it is', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8'));
    const labels = finalInstruction('LABEL');
    expect(labels).toContain(`org.opencontainers.image.version="${version}"`);
    expect(labels).toContain('org.opencontainers.image.licenses="MIT"');
  });

  it('has nothing that a linter complains about', () => {
    expect(validate(dockerfile)).toEqual([]);
    expect(validate('FROM node:26-slim\nHEALTHCHECK --intervall=60s CMD ["node"]\n')).toHaveLength(1);
  });

  it('checks its health by Node: well with a bot that answers, ill without one, and well without a port', async () => {
    const { env } = await startBackends();
    const host = { HTTP_HOST: '127.0.0.2' }; // one address, where no other is listened on
    const bot = run(app, START, { ...env, ...host, HTTP_PORT: '0' });
    await bot.wrote('metrics are served');
    const [, port = ''] = /"port":(\d+)/.exec(bot.output()) ?? [];
    const [, check = '[]'] = /CMD (\[.+\])$/.exec(finalInstruction('HEALTHCHECK')) ?? [];
    const health = async (variables: Record<string, string>) => run(app, JSON.parse(check), variables).ended;

    expect(await health({ ...host, HTTP_PORT: port })).toBe(0);
    expect(await health({})).toBe(0);
    bot.child.kill('SIGTERM');
    await bot.ended;
    expect(await health({ ...host, HTTP_PORT: port })).toBe(1);
  });

  it('holds compiled code', async () => {
    const files = await readdir(join(app, 'compile-cache'), { recursive: true });
    expect(files.filter((name) => name.includes('/')).length).toBeGreaterThan(300);
  });

  it('answers a command, writes to DATA_DIR alone and compiles nothing into it, and exits 0 when told', async () => {
    const { discord, env } = await startBackends();
    const before = await readdir(app);
    const bot = run(app, START, env);
    await bot.wrote('gateway ready');

    const { embeds } = await discord.type({ command: 'card', options: { id: 'base1-4' } }).settled();
    bot.child.kill('SIGTERM');

    expect(embeds[0]?.title).toBe('Emberwing Drake');
    expect(await bot.ended).toBe(0);
    expect(await readdir(app)).toEqual(before);
    const written = await readdir(env.DATA_DIR);
    expect(written).not.toEqual([]);
    expect(written).not.toContain('compile-cache');
  });
});

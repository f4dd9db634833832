import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { validate } from 'dockerfile-utils';
import { beforeAll, describe, expect, it } from 'vitest';
import { startBackends } from '../support/backends.ts';
import { type BotProcess, startProgram } from '../support/bot-process.ts';
import { allowedPaths, copiedPaths, readStages, unpackImage } from './image.ts';

/** The value of an instruction in the stage that runs. */
async function finalInstruction(wanted: string): Promise<string | undefined> {
  return (await readStages()).at(-1)?.findLast(({ name }) => name === wanted)?.text;
}

/** Runs `program` where the image was unpacked, with the image's packages and no others. */
function run(cwd: string, [command, ...args]: string[], env: Record<string, string>): BotProcess {
  expect(command).toBe('node');
  // Without these flags a linked package would find what lies beside it in this checkout.
  const program = [process.execPath, '--preserve-symlinks', '--preserve-symlinks-main', ...args];
  return startProgram(program, { cwd, env });
}

async function startCommand(): Promise<string[]> {
  return JSON.parse((await finalInstruction('CMD')) ?? '[]');
}

describe('the image', () => {
  let app: string;
  beforeAll(async () => {
    app = await unpackImage();
  });

  it('takes only what is in this checkout and in .dockerignore', async () => {
    const copied = (await readStages()).flatMap(copiedPaths);
    expect(copied.filter((path) => !existsSync(path))).toEqual([]);
    expect(new Set(copied)).toEqual(new Set(await allowedPaths()));
  });

  it('runs no install script, neither while it is built nor later', async () => {
    const installs = (await readStages()).flat().filter(({ name, text }) => name === 'RUN' && text.startsWith('npm'));
    expect(installs).toEqual([{ name: 'RUN', text: 'npm ci --omit=dev --omit=optional --ignore-scripts' }]);
  });

  it('can be read by its user, however narrow the rights of the checkout are', async () => {
    const [packages = [], final = []] = await readStages();
    const given = packages.findLast(({ name, text }) => name === 'RUN' && text.startsWith('chmod -R go+rX '));
    expect(given?.text.split(' ').slice(3).sort()).toEqual(['commands', 'package.json', 'src']);
    expect(copiedPaths(final)).toEqual([]); // straight from the checkout
  });

  it('runs as a user who is not root, as a process that hears signals', async () => {
    expect(await finalInstruction('USER')).toBe('node');
    expect(await finalInstruction('STOPSIGNAL')).toBe('SIGTERM');
    expect(await startCommand()).toEqual(['node', '--disable-sigusr1', 'src/main.ts']);
  });

  it('holds the registration of commands, which finds nothing to do when they are registered', async () => {
    const { env } = await startBackends();
    const diff = run(app, ['node', 'src/cli/main.ts', 'commands', 'diff'], env);
    expect(await diff.ended).toBe(0);
  });

  it('says which version it is', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8'));
    const labels = await finalInstruction('LABEL');
    expect(labels).toContain(`org.opencontainers.image.version="${version}"`);
    expect(labels).toContain('org.opencontainers.image.licenses="MIT"');
  });

  it('has nothing that a linter complains about', async () => {
    expect(validate(await readFile('Dockerfile', 'utf8'))).toEqual([]);
    expect(validate('FROM node:26-slim\nHEALTHCHECK --intervall=60s CMD ["node"]\n')).toHaveLength(1);
  });

  it('checks its health by Node: well with a bot that answers, ill without one, and well without a port', async () => {
    const { env } = await startBackends();
    const host = { HTTP_HOST: '127.0.0.2' }; // one address, where no other is listened on
    const bot = run(app, await startCommand(), { ...env, ...host, HTTP_PORT: '0' });
    await bot.wrote('metrics are served');
    const [, port = ''] = /"port":(\d+)/.exec(bot.output()) ?? [];
    const [, check = '[]'] = /CMD (\[.+\])$/.exec((await finalInstruction('HEALTHCHECK')) ?? '') ?? [];
    const health = async (variables: Record<string, string>) => run(app, JSON.parse(check), variables).ended;

    expect(await health({ ...host, HTTP_PORT: port })).toBe(0);
    expect(await health({})).toBe(0);
    bot.child.kill('SIGTERM');
    await bot.ended;
    expect(await health({ ...host, HTTP_PORT: port })).toBe(1);
  });

  it('answers a command, writes to DATA_DIR alone, and exits 0 when told', async () => {
    const { discord, env } = await startBackends();
    const before = await readdir(app);
    const bot = run(app, await startCommand(), env);
    await bot.wrote('gateway ready');

    const { embeds } = await discord.type({ command: 'card', options: { id: 'base1-4' } }).settled();
    bot.child.kill('SIGTERM');

    expect(embeds[0]?.title).toBe('Emberwing Drake');
    expect(await bot.ended).toBe(0);
    expect(await readdir(app)).toEqual(before);
    expect(await readdir(env.DATA_DIR)).not.toEqual([]);
  });
});

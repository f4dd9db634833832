import { glob, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

interface Workflow {
  permissions: object;
  jobs: Record<string, Job>;
}

interface Job {
  permissions?: object;
  needs?: string;
  uses?: string;
  steps?: { uses?: string; run?: string }[];
}

async function workflow(path: string): Promise<Workflow> {
  return parse(await readFile(path, 'utf8'));
}

const workflows = await Array.fromAsync(glob('.github/workflows/*.yml'));

it.each(workflows)('%s names each action by the hash of its commit, and rights by job', async (path) => {
  const { permissions, jobs } = await workflow(path);
  expect(permissions).toEqual({});
  expect(Object.values(jobs).filter((job) => !job.permissions)).toEqual([]);
  const used = Object.values(jobs).flatMap(({ uses, steps = [] }) => [uses, ...steps.map((step) => step.uses)]);
  const unpinned = used.filter((each) => each && !each.startsWith('./') && !/@[0-9a-f]{40}$/.test(each));
  expect(unpinned).toEqual([]);
});

it('base images are named by digest', async () => {
  const images = [
    ...(await readFile('Dockerfile', 'utf8')).matchAll(/^FROM (\S+)/gm),
    ...(await readFile('compose.yaml', 'utf8')).matchAll(/^ *image: (valkey\S+)/gm),
  ].map(([, image]) => image);
  expect(images).toHaveLength(3);
  expect(images.filter((image) => !/@sha256:[0-9a-f]{64}$/.test(image ?? ''))).toEqual([]);
});

it('an image is published when `.ci/run` has passed, as for pull requests', async () => {
  const { jobs } = await workflow('.github/workflows/image.yml');
  expect(jobs.image?.needs).toBe('check');
  expect(jobs.check?.uses).toBe('./.github/workflows/check.yml');
  const check = await workflow('.github/workflows/check.yml');
  expect(check.jobs.check?.steps?.map(({ run }) => run)).toContain('.ci/run');
});

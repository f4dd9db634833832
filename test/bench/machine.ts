import { availableParallelism, cpus } from 'node:os';

/** Model and cores, nothing that names a host. */
export function machine(): string {
  const model = cpus()[0]?.model.replaceAll(/\s+/g, ' ').trim() ?? 'an unknown processor';
  return `${model}, ${availableParallelism()} cores`;
}

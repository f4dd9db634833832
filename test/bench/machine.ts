import { availableParallelism, cpus } from 'node:os';

/** Processor model and cores; nothing that identifies the host. */
export function machine(): string {
  const model = cpus()[0]?.model.replaceAll(/\s+/g, ' ').trim() ?? 'an unknown processor';
  return `${model}, ${availableParallelism()} cores`;
}

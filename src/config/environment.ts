import type { z } from 'zod';
import { OperatorError } from '../model/operator-error.ts';
import { errorsFrom } from '../model/typing-errors.ts';
import { Variables } from './variables.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What is wrong with a variable, for operators. */
export interface Problem {
  name: string;
  message: string;
}

/** The configuration is invalid; the message names every problem, one per line. */
export class ConfigError extends OperatorError {
  override name = 'ConfigError';
  /** One for each variable that is missing or invalid. */
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], misspelled: readonly Misspelled[]) {
    const lines = [
      ...problems.map(({ name, message }) => `  ${name}: ${message}`),
      ...misspelled.map(({ name, meant }) => `  ${name}: unknown; did you mean ${meant}?`),
    ];
    super(`The configuration is invalid (see .env.example):\n${lines.join('\n')}`);
    this.problems = problems;
  }
}

/** Node strips the quotes in a `.env`; those that arrive here are a mistake. */
const QUOTED = /^\s*(['"`]).*\1\s*$/s;

/** @param more what else is wrong with the configuration @throws ConfigError */
export function parse<T extends z.ZodObject>(
  schema: T,
  environment: Environment,
  more: readonly Problem[] = [],
): z.output<T> {
  const values = set(environment);
  const read = schema.safeParse(values);
  const quoted = Object.keys(schema.shape).filter((name) => QUOTED.test(values[name] ?? ''));
  if (read.success && quoted.length + more.length === 0) return read.data;
  const issues = read.error?.issues.map(({ path, message }) => ({ name: path.join('.'), message })) ?? [];
  const problems = [
    ...quoted.map((name) => ({ name, message: 'write it without quotes: docker --env-file does not strip them' })),
    ...[...issues, ...more].filter(({ name }) => !quoted.includes(name)),
  ];
  throw new ConfigError(problems, misspelledVariables(environment, schema));
}

/** An empty variable counts as unset, because `.env.example` lists them all. */
export function set(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
}

/** A variable that nothing reads, and the known variable that it resembles. */
interface Misspelled {
  name: string;
  meant: string;
}

/**
 * Variables that are set and unknown, and that look like one of `wanted`: names that differ in capitals, separators or
 * a few letters. Only a few, so that variables of other programs are not reported, such as the CARD_SERVICE_PORT that
 * Kubernetes sets. A name with a digit is never reported: no variable of the bot has one, so DISCORD_TOKEN_2 is
 * intended. Names only, never values.
 */
export function misspelledVariables(environment: Environment, wanted: z.ZodObject = Variables): Misspelled[] {
  const known = Object.keys(Variables.shape);
  return Object.keys(set(environment)).flatMap((name) => {
    if (known.includes(name) || /\d/.test(name)) return [];
    const errorsIn = errorsFrom(lettersOf(name));
    const [nearest] = known
      .map((meant) => ({ name, meant, edits: errorsIn(lettersOf(meant)).whole }))
      .filter(({ meant, edits }) => edits <= mostEdits(lettersOf(meant).length))
      .sort((a, b) => a.edits - b.edits);
    return nearest && nearest.meant in wanted.shape ? [{ name, meant: nearest.meant }] : [];
  });
}

function lettersOf(name: string): string {
  return name.toUpperCase().replace(/[^A-Z]/g, '');
}

/** A judgement: up to here a reader takes it for the same name. */
function mostEdits(length: number): number {
  if (length < 12) return 1;
  return length < 17 ? 2 : 3;
}

import { InvalidArgumentError } from 'commander';

export function positive(text: string): number {
  const number = Number(text);
  if (number > 0) return number;
  throw new InvalidArgumentError('Write a number above 0.');
}

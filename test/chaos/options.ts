import { InvalidArgumentError } from 'commander';

export function positive(text: string): number {
  const number = Number(text);
  if (number > 0) return number;
  throw new InvalidArgumentError('Write a number above 0.');
}

export function whole(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= 16) return number;
  throw new InvalidArgumentError('Write a whole number from 1 to 16.');
}

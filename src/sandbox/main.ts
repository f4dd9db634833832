/** What the sandbox needs beyond the bot are development packages. */
try {
  await import('./command.ts');
} catch (error) {
  if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
  process.stderr.write('The sandbox needs all packages, not those of the bot alone: run npm ci.\n');
  process.exit(1);
}

import { commands } from '../../commands/index.ts';
import { runRegistrationCli } from './registration-cli.ts';

process.exitCode = await runRegistrationCli(process.argv.slice(2), {
  commands: commands.map(({ data }) => data),
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});

import { runContractCli } from './cli.ts';

process.exitCode = await runContractCli(process.argv.slice(2), {
  environment: process.env,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});

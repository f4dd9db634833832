import packageJson from '../package.json' with { type: 'json' };

/** What an operator has to know of a Node that is older than `engines` allows; `undefined` of one that is not. */
export function tooOld(version: string): string | undefined {
  const lowest = packageJson.engines.node.replace('>=', '');
  if (version.localeCompare(lowest, 'en', { numeric: true }) >= 0) return undefined;
  return `This is Node ${version}, and cardbot needs ${lowest} or newer: run npm ci and start it by npm, or update Node.`;
}

/** Ends the program on such a Node. To be called before the rest is imported, of which that Node cannot read all. */
export function refuseOldNode(): void {
  const refusal = tooOld(process.versions.node);
  if (refusal === undefined) return;
  process.stderr.write(`${refusal}\n`);
  process.exit(1);
}

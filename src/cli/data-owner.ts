import { accessSync, constants, statSync } from 'node:fs';
import { CliFailure } from './context.ts';

const ROOT = 0;

/**
 * Run by root, this program goes on as the owner of `DATA_DIR`, who runs the bot: what is made there is the bot's then,
 * and what the bot cannot read is not read. A `chown` afterwards would follow whatever link the bot has put in a file's
 * place. To be called before anything in that folder is opened.
 *
 * @throws CliFailure
 */
export function becomeOwner(dataDir: string): void {
  if (process.getuid?.() !== ROOT) return;
  const { uid, gid } = statSync(dataDir, { throwIfNoEntry: false }) ?? { uid: ROOT, gid: ROOT };
  if (uid === ROOT) return;
  try {
    process.setgroups?.([gid]);
    process.setgid?.(gid);
    process.setuid?.(uid); // the last, since only root may do these
    accessSync(dataDir, constants.R_OK | constants.X_OK);
    accessSync(import.meta.filename); // the rest of this program is read as that user
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CliFailure(
      `This does not work as user ${uid}, to whom ${dataDir} belongs (${why}). Run it as the bot runs.`,
    );
  }
}

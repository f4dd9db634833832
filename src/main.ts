import { useCompileCache } from './compile-cache.ts';
import { refuseOldNode } from './node-version.ts';

refuseOldNode();
useCompileCache();
const { runBot } = await import('./run.ts');
await runBot();

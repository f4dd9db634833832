import { useCompileCache } from './compile-cache.ts';
import { setYoungGeneration } from './young-generation.ts';

useCompileCache();
setYoungGeneration('stays small');
const { runBot } = await import('./run.ts');
await runBot();

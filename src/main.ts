import { useCompileCache } from './compile-cache.ts';

useCompileCache();
const { runBot } = await import('./run.ts');
await runBot();

/** Loaded before a bot (`node --import`): says over the IPC channel what CPU time its process took so far. */
process.on('message', () => process.send?.(process.cpuUsage()));
process.channel?.unref();

/** Loaded before a bot (`node --import`): reports the CPU time of its process over the IPC channel. */
process.on('message', () => process.send?.(process.cpuUsage()));
process.channel?.unref();

// Preloaded into programs that are not ours: they end when the process that forked them does, however that ended.
import { enableCompileCache } from "node:module";

process.on("disconnect", () => process.exit());
// The parent may have died while this was loading.
if (process.send && !process.connected) process.exit();
// The listener must not keep a program alive that has come to its own end.
process.channel?.unref();
enableCompileCache();

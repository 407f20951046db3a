// Preloaded into programs that do not look after it themselves: they end when the process that forked them does.
import { enableCompileCache } from "node:module";

process.on("disconnect", end);
// The parent may have died while this was loading.
if (process.send && !process.connected) end();
// The listener must not keep a program alive that has come to its own end.
process.channel?.unref();
enableCompileCache();

/** With its own children, one of which may be too busy to notice that it is alone. */
function end(): void {
  try {
    if (process.platform !== "win32") process.kill(-process.pid, "SIGKILL");
  } catch {
    // It leads no group.
  }
  process.exit();
}

// What a process of the slow engine took and did not finish stays invisible for five minutes (ENGINE=azure-storage): in a test that kills
// processes for seconds, as all of its times are shorter than the app's.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const SHORT = "00:00:05";

/** @param appDir an adapted app, whose own host.json is changed */
export function shortVisibility(appDir: string): void {
  const file = join(appDir, "host.json");
  const settings = JSON.parse(readFileSync(file, "utf8"));
  Object.assign(settings.extensions.durableTask.storageProvider, {
    controlQueueVisibilityTimeout: SHORT,
    workItemQueueVisibilityTimeout: SHORT,
    maxQueuePollingInterval: "00:00:01",
  });
  writeFileSync(file, JSON.stringify(settings));
}

// The app's functions that a setting has switched off: what they would do is done by nobody, and some of it shows very late.

/** Without those that may run elsewhere in the app's place: agents' queues, and senders' own. */
export const FUNCTIONS = [
  ...["agentReplies", "askAgent", "bulkRun", "bulkTurn", "completeStep", "findProgress", "gauges", "housekeeping"],
  ...["pollStep", "publishEnd", "scheduler", "startAttempt", "submission", "submissionPriority", "supervisor"],
] as const;

const ON: ReadonlySet<string | undefined> = new Set(["true", "1"]);

/** @param settingOf the app's settings, as the host reads them */
export function switchedOff(settingOf: (name: string) => string | undefined): string[] {
  return FUNCTIONS.filter((name) =>
    [`AzureWebJobs.${name}.Disabled`, `AzureWebJobs_${name}_Disabled`].some((setting) =>
      ON.has(settingOf(setting)?.toLowerCase()),
    ),
  );
}

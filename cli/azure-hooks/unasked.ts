// Before provisioning: choices that deploy well and leave nobody who is notified, or nobody who may operate.

/** A sentence for each, with what to do; none where somebody is. */
export function unaskedChoices(chosen: (name: string) => string | undefined): string[] {
  const found: string[] = [];
  if (chosen("RAISE_ALERTS") !== "false" && !chosen("ALERT_EMAIL"))
    found.push("Nobody is notified of alerts: they are only in the portal. azd env set ALERT_EMAIL an address.");
  if (chosen("RAISE_ALERTS") !== "false" && !chosen("RUNBOOKS"))
    found.push("Alerts name no runbook: azd env set RUNBOOKS the address of docs/how-to/runbooks.md.");
  const signsIn = chosen("CREATE_SIGN_IN") === "true" || Boolean(chosen("AUTH_CLIENT_ID"));
  if (signsIn && (chosen("GRANT_DEVELOPER_ACCESS") === "false" || chosen("CREATE_SIGN_IN") !== "true"))
    found.push(
      "Nobody gets a role of the app registration by this deployment, so only people who have one can operate: docs/how-to/identity.md, Signing in.",
    );
  return found;
}

/** Where the page of runbooks is, for a clone of a repository on GitHub: alerts lead there from Azure. */
export function runbooksAt(origin: string): string | undefined {
  const [, name] =
    /^(?:https:\/\/(?:[^@/]+@)?|(?:ssh:\/\/)?git@)github\.com[:/]([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/.exec(origin) ?? [];
  return name && `https://github.com/${name}/blob/HEAD/docs/how-to/runbooks.md`;
}

// Instants as a field for local times has them, in the chosen zone.

/** @param text as the field has it, in the chosen zone: that of the browser, or UTC */
export function instantOf(text: string, zone: string): string {
  const at = new Date(zone === "UTC" ? `${text}Z` : text);
  return Number.isNaN(at.getTime()) ? "" : at.toISOString();
}

export function localOf(instant: string, zone: string): string {
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return "";
  const words = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" });
  return words.format(at).replace(" ", "T").replace(/:00$/, "");
}

// Members of host.json that change in Azure what an app sees, and not here: each is named at the start where it is set.

type Json = Readonly<Record<string, unknown>>;

const isOn = (value: unknown): boolean => /^true$/i.test(String(value));
const isAboveZero = (value: unknown): boolean => Number(value) > 0;

/** Where the member is, what turns it on, and what happens here instead. */
const UNMODELLED: readonly (readonly [place: string, isSet: (value: unknown) => boolean, here: string])[] = [
  ["extensions.serviceBus.prefetchCount", isAboveZero, "the lock of a message begins when its function takes it"],
  ["extensions.serviceBus.enableCrossEntityTransactions", isOn, "a JavaScript function has no part in them"],
  ["extensions.http.dynamicThrottlesEnabled", isOn, "the load of the machine rejects no request"],
  ["extensions.http.hsts.isEnabled", isOn, "answers have no such header"],
  ["concurrency.dynamicConcurrencyEnabled", isOn, "the numbers of host.json hold all the time"],
];

export function unmodelledWarnings(json: Json): string[] {
  return UNMODELLED.filter(([place, isSet]) => isSet(valueAt(json, place))).map(
    ([place, , here]) => `host.json: "${place}" has no effect here: ${here}`,
  );
}

function valueAt(json: Json, place: string): unknown {
  return place.split(".").reduce<unknown>((value, name) => {
    if (typeof value !== "object" || value === null) return undefined;
    return Object.entries(value).find(([known]) => known.toLowerCase() === name.toLowerCase())?.[1];
  }, json);
}

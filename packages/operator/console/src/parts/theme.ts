// Light or dark, as the system has it.
import { useSyncExternalStore } from "react";

const dark = matchMedia("(prefers-color-scheme: dark)");

export function useDarkTheme(): boolean {
  return useSyncExternalStore(
    (changed) => {
      dark.addEventListener("change", changed);
      return () => dark.removeEventListener("change", changed);
    },
    () => dark.matches,
  );
}

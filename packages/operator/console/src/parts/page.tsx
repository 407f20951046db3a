// The page around every view, in the theme that the browser asks for.
import type { ReactNode } from "react";
import { FluentProvider, webDarkTheme, webLightTheme } from "./fluent.ts";
import { useDarkTheme } from "./theme.ts";

export function Page({ children }: { readonly children: ReactNode }) {
  const isDark = useDarkTheme();
  return (
    <FluentProvider theme={isDark ? webDarkTheme : webLightTheme} className="page">
      {children}
    </FluentProvider>
  );
}

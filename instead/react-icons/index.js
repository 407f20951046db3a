// The icons that Fluent UI's button, field, select and checkbox draw. The paths are those of Microsoft's Fluent UI System Icons (MIT licence).
import { createElement } from "react";

export const iconFilledClassName = "fui-Icon-filled";
export const iconRegularClassName = "fui-Icon-regular";

/** Without a title it is decoration: no reader's software speaks of it. */
const icon = (width, path) =>
  function Icon({ className, primaryFill, ...rest }) {
    const side = width === "1em" ? 20 : Number(width);
    return createElement(
      "svg",
      {
        "aria-hidden": true,
        fill: primaryFill ?? "currentColor",
        xmlns: "http://www.w3.org/2000/svg",
        ...rest,
        className: ["fui-Icon", className].filter(Boolean).join(" "),
        width,
        height: width,
        viewBox: `0 0 ${side} ${side}`,
      },
      createElement("path", { d: path, fill: "currentColor" }),
    );
  };

export const ChevronDownRegular = icon(
  "1em",
  "M15.85 7.65c.2.2.2.5 0 .7l-5.46 5.49a.55.55 0 0 1-.78 0L4.15 8.35a.5.5 0 1 1 .7-.7L10 12.8l5.15-5.16c.2-.2.5-.2.7 0",
);
export const CheckmarkCircle12Filled = icon(
  "12",
  "M1 6a5 5 0 1 1 10 0A5 5 0 0 1 1 6m7.35-.9a.5.5 0 1 0-.7-.7L5.5 6.54 4.35 5.4a.5.5 0 1 0-.7.7l1.5 1.5c.2.2.5.2.7 0z",
);
export const DiamondDismiss12Filled = icon(
  "12",
  "M4.59 1.09a2 2 0 0 1 2.82 0l3.5 3.5a2 2 0 0 1 0 2.82l-3.5 3.5a2 2 0 0 1-2.82 0l-3.5-3.5a2 2 0 0 1 0-2.83zm3.26 3.06a.5.5 0 0 0-.7 0L6 5.29 4.85 4.15a.5.5 0 0 0-.7.7L5.29 6 4.15 7.15a.5.5 0 0 0 .7.7L6 6.71l1.15 1.14a.5.5 0 1 0 .7-.7L6.71 6l1.14-1.15a.5.5 0 0 0 0-.7",
);
export const Warning12Filled = icon(
  "12",
  "M4.28 1.97a2 2 0 0 1 3.43 0l3 5A2 2 0 0 1 9 10H3A2 2 0 0 1 1.3 6.98zM6 6.75a.75.75 0 1 0 0 1.5.75.75 0 0 0 0-1.5M6 3.5a.5.5 0 0 0-.5.5v1.5a.5.5 0 0 0 1 0V4a.5.5 0 0 0-.5-.5",
);
export const Checkmark12Filled = icon(
  "12",
  "M9.76 3.2c.3.29.32.76.04 1.06l-4.25 4.5a.75.75 0 0 1-1.08.02L2.22 6.53a.75.75 0 0 1 1.06-1.06l1.7 1.7L8.7 3.24a.75.75 0 0 1 1.06-.04",
);
export const Checkmark16Filled = icon(
  "16",
  "M14.05 3.49c.28.3.27.77-.04 1.06l-7.93 7.47A.85.85 0 0 1 4.9 12L2.22 9.28a.75.75 0 1 1 1.06-1.06l2.24 2.27 7.47-7.04a.75.75 0 0 1 1.06.04",
);
export const Square12Filled = icon("12", "M2 4c0-1.1.9-2 2-2h4a2 2 0 0 1 2 2v4a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2z");
export const Square16Filled = icon(
  "16",
  "M2 4.5A2.5 2.5 0 0 1 4.5 2h7A2.5 2.5 0 0 1 14 4.5v7a2.5 2.5 0 0 1-2.5 2.5h-7A2.5 2.5 0 0 1 2 11.5z",
);
export const CircleFilled = icon("1em", "M10 2a8 8 0 1 0 0 16 8 8 0 0 0 0-16");

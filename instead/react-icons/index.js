// The icons that Fluent UI's button, field, select and checkbox draw, in plain shapes of this project's own.
import { createElement } from "react";

export const iconFilledClassName = "fui-Icon-filled";
export const iconRegularClassName = "fui-Icon-regular";

/**
 * Without a title it is decoration: no reader's software speaks of it.
 * @param side the square in which the shapes are drawn
 * @param shapes SVG elements, each with its attributes
 */
const icon = (side, width, ...shapes) =>
  function Icon({ className, primaryFill = "currentColor", ...rest }) {
    return createElement(
      "svg",
      {
        "aria-hidden": true,
        fill: primaryFill,
        stroke: primaryFill,
        strokeWidth: 0,
        strokeLinecap: "round",
        strokeLinejoin: "round",
        xmlns: "http://www.w3.org/2000/svg",
        ...rest,
        className: ["fui-Icon", className].filter(Boolean).join(" "),
        width,
        height: width,
        viewBox: `0 0 ${side} ${side}`,
      },
      ...shapes.map(([element, attributes], key) => createElement(element, { key, ...attributes })),
    );
  };

const line = (points, strokeWidth, more) => ["polyline", { points, strokeWidth, fill: "none", ...more }];
const circle = (c, r) => ["circle", { cx: c, cy: c, r }];
const square = (from, side, more) => ["rect", { x: from, y: from, width: side, height: side, rx: 1.5, ...more }];
/** A sign on a filled shape. */
const onIt = { stroke: "var(--colorNeutralBackground1)" };

export const ChevronDownRegular = icon(20, "1em", line("5,8 10,13 15,8", 1.2));
export const CheckmarkCircle12Filled = icon(12, "12", circle(6, 5), line("4,6 5.5,7.5 8,4.5", 1.2, onIt));
export const DiamondDismiss12Filled = icon(
  12,
  "12",
  square(2.5, 7, { transform: "rotate(45 6 6)" }),
  line("4.5,4.5 7.5,7.5", 1.2, onIt),
  line("7.5,4.5 4.5,7.5", 1.2, onIt),
);
export const Warning12Filled = icon(
  12,
  "12",
  ["polygon", { points: "6,1.5 11,10 1,10", strokeWidth: 1 }],
  line("6,4.5 6,6.5", 1.2, onIt),
  line("6,8.5 6,8.5", 1.2, onIt),
);
export const Checkmark12Filled = icon(12, "12", line("2.5,6.5 5,9 9.5,3.5", 1.6));
export const Checkmark16Filled = icon(16, "16", line("3,8.5 6.5,12 13,4.5", 1.8));
export const Square12Filled = icon(12, "12", square(2, 8));
export const Square16Filled = icon(16, "16", square(2, 12));
export const CircleFilled = icon(20, "1em", circle(10, 8));

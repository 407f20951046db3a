// Draws a view into the page's sections. What the reader can press keeps its place, and the focus.
import type { Action } from "./case.ts";
import type { Actor, MessageView, RecordView, ServiceView, View } from "./view.ts";

type Act = (kind: Action["kind"], what: string) => void;
type Content = (Node | string)[];

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: { readonly [name: string]: string },
  ...content: Content
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...content);
  return made;
}

export function button(text: string, press: () => void, kind = "", label = text): HTMLButtonElement {
  const made = element("button", { type: "button", class: kind, "aria-label": label }, text);
  made.addEventListener("click", press);
  return made;
}

let before: RecordView | null = null;

export function show(view: View, act: Act): void {
  const focused = document.activeElement?.getAttribute("aria-label");
  const last = view.lines.at(-1);
  fill("#now", ...nowOf(view));
  fill("#actors", ...view.actors.map((actor) => actorItem(actor, last?.who === actor.id, act)));
  fill("#record", ...(view.record ? recordTables(view.record, before) : ["There is no record yet."]));
  fill("#services", ...view.services.map((service) => serviceItem(service, act)));
  const messages = view.messages.map((message) => messageItem(message, act));
  fill("#messages", ...(messages.length > 0 ? messages : [element("li", {}, "None.")]));
  fill("#statuses", view.statuses.join(", ") || "Nothing yet.");
  fill("#story", ...[...view.lines].reverse().map(lineItem));
  before = view.record;
  // What was drawn anew has lost the focus.
  if (focused) document.querySelector<HTMLElement>(`button[aria-label="${CSS.escape(focused)}"]`)?.focus();
}

function fill(selector: string, ...content: Content): void {
  document.querySelector(selector)?.replaceChildren(...content);
}

const time = (at: string) => at.slice(11, 19);

function nowOf({ step, now, isOver, lines, record }: View): Content {
  const last = lines.at(-1);
  const text = last ? ` ${last.text}${last.row ? ` (${last.row})` : ""}` : " The order waits in its queue. Press Step.";
  const end = isOver ? ` Nothing is left to do: the order is ${record?.processState ?? "not recorded"}.` : "";
  return [element("strong", {}, `Step ${step}, ${time(now)}.`), text, element("strong", {}, end)];
}

function actorItem({ id, name, does, isDown }: Actor, acts: boolean, act: Act): Node {
  const kill = button("Kill", () => act("kill", id), "", `Kill: ${name}`);
  const state = isDown ? "down" : acts ? "acts" : "";
  return element("li", { class: state }, element("strong", {}, name), element("span", {}, does), kill);
}

function recordTables(record: RecordView, was: RecordView | null): Content {
  const changed = (is: unknown, old: unknown) => (was && JSON.stringify(is) !== JSON.stringify(old) ? "changed" : "");
  const fields = record.fields.map(([name, value], at) =>
    element(
      "tr",
      { class: changed(value, was?.fields[at]?.[1]) },
      element("th", { scope: "row" }, name),
      element("td", { class: value }, value),
    ),
  );
  const steps = record.steps.map((step, at) => {
    const { name, state, completeBy, retries } = step;
    const cells = [state, completeBy ?? "", String(retries)];
    return element(
      "tr",
      { class: changed(step, was?.steps[at]) },
      element("th", { scope: "row" }, name),
      ...cells.map((cell) => element("td", { class: cell === state ? (state.split(" ").at(-1) ?? "") : "" }, cell)),
    );
  });
  const heads = ["step", "state", "complete-by", "retries"].map((head) => element("th", { scope: "col" }, head));
  return [
    element("table", { "aria-label": "The record" }, element("tbody", {}, ...fields)),
    element(
      "table",
      { "aria-label": "Its steps" },
      element("thead", {}, element("tr", {}, ...heads)),
      element("tbody", {}, ...steps),
    ),
  ];
}

function serviceItem({ id, isDown, calls, unanswered, effects }: ServiceView, act: Act): Node {
  const shown = effects.map(({ operation, times }) =>
    element(
      "span",
      { class: times === 1 ? "once" : "more" },
      `${operation}: ${times === 1 ? "once" : `${times} times`} `,
    ),
  );
  const failed = unanswered > 0 ? `, ${unanswered} while it was down` : "";
  const about = element("small", {}, `${calls} ${calls === 1 ? "call" : "calls"}${failed}`);
  const state = isDown ? [element("span", { class: "away" }, "down ")] : [];
  const toggle = isDown
    ? button("Bring back", () => act("up", id), "", `Bring back: ${id}`)
    : button("Take down", () => act("down", id), "", `Take down: ${id}`);
  return element("li", {}, element("div", {}, element("strong", {}, `${id} `), ...state, ...shown, about), toggle);
}

function messageItem({ id, to, what, kind, at, canBeDoubled }: MessageView, act: Act): Node {
  const about = element("div", {}, `${what} `, element("small", {}, `to ${to}, ${kind}, due ${time(at)}`));
  const delay = button("Delay 1 min", () => act("delay", String(id)), "", `Delay 1 min: message ${id}, ${what}`);
  const twice = button("Double", () => act("twice", String(id)), "", `Double: message ${id}, ${what}`);
  return element("li", {}, about, delay, ...(canBeDoubled ? [twice] : []));
}

function lineItem({ step, at, who, text, changes, row }: View["lines"][number]): Node {
  const head = element("small", {}, `${step}, ${time(at)}${row ? `, ${row}` : ""}: `);
  const list = changes.length > 0 ? [element("ul", {}, ...changes.map((change) => element("li", {}, change)))] : [];
  return element("li", { class: who }, head, text, ...list);
}

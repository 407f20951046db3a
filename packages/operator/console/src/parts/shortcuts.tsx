// Shortcuts: g and a letter goes to a view, / to the search, ? lists them. Whoever dictates text turns them off (WCAG 2.2, 2.1.4).

import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { TEXT } from "../words/frame.ts";
import { Button, Checkbox } from "./fluent.ts";

const OFF = "shortcuts-off";
/** The second key comes within this time. */
const SECOND_WITHIN_MS = 1500;

export interface Shortcut {
  readonly key: string;
  readonly path: string;
  readonly name: string;
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

export function Shortcuts({ shortcuts }: { readonly shortcuts: readonly Shortcut[] }) {
  const [, navigate] = useLocation();
  const [isOn, turn] = useState(() => localStorage.getItem(OFF) === null);
  const dialog = useRef<HTMLDialogElement>(null);
  const first = useRef(0);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      if (ctrlKey || metaKey || altKey || isTyping(target) || document.querySelector("dialog[open]")) return;
      if (!isOn) return;
      const isSecond = event.timeStamp - first.current < SECOND_WITHIN_MS;
      first.current = key === "g" ? event.timeStamp : 0;
      const goTo = isSecond ? shortcuts.find((one) => one.key === key)?.path : key === "/" ? "/search" : undefined;
      if (goTo !== undefined) {
        event.preventDefault();
        navigate(goTo);
        if (key === "/") setTimeout(() => document.querySelector<HTMLElement>("main input[type=search]")?.focus(), 200);
      } else if (key === "?") dialog.current?.showModal();
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, [isOn, navigate, shortcuts]);
  const choose = (on: boolean) => {
    if (on) localStorage.removeItem(OFF);
    else localStorage.setItem(OFF, "yes");
    turn(on);
  };
  return (
    <>
      <Button className="shortcuts" size="small" appearance="subtle" onClick={() => dialog.current?.showModal()}>
        {TEXT.shortcuts}
      </Button>
      <dialog ref={dialog} className="action" aria-labelledby="shortcuts">
        <div className="dialog">
          <h2 id="shortcuts">{TEXT.shortcuts}</h2>
          <dl>
            {shortcuts.map(({ key, name }) => (
              <div key={key}>
                <dt>
                  <kbd>g</kbd> <kbd>{key}</kbd>
                </dt>
                <dd>{name}</dd>
              </div>
            ))}
            <div>
              <dt>
                <kbd>/</kbd>
              </dt>
              <dd>{TEXT.search}</dd>
            </div>
            <div>
              <dt>
                <kbd>?</kbd>
              </dt>
              <dd>{TEXT.shortcuts}</dd>
            </div>
          </dl>
          <Checkbox label={TEXT.shortcutsOn} checked={isOn} onChange={(_, { checked }) => choose(checked === true)} />
          <div className="buttons">
            <Button onClick={() => dialog.current?.close()}>{TEXT.close}</Button>
          </div>
        </div>
      </dialog>
    </>
  );
}

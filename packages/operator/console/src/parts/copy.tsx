// Copies a value, such as an id.

import { useState } from "react";
import { TEXT } from "../words/frame.ts";
import { Button } from "./fluent.ts";

const SAID_MS = 2000;

export function Copy({ text, name }: { readonly text: string; readonly name: string }) {
  const [isCopied, say] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    say(true);
    setTimeout(() => say(false), SAID_MS);
  };
  return (
    <>
      <Button
        size="small"
        appearance="subtle"
        aria-label={TEXT.copy(name)}
        title={TEXT.copy(name)}
        onClick={() => void copy()}
      >
        {TEXT.copyShort}
      </Button>
      <span role="status" className="quiet copied">
        {isCopied && TEXT.copied}
      </span>
    </>
  );
}

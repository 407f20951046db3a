// What a view says when it has nothing, waits, or was given no answer.
import type { UseQueryResult } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { ApiFault, useFunctionKey as keepFunctionKey } from "../api/client.ts";
import { inAppTime, isRecent } from "../api/clock.ts";
import { useRefresh } from "../api/queries.ts";
import { FAULTS, TEXT } from "../words/frame.ts";
import { Button, Field, Input, Spinner } from "./fluent.ts";
import { Said, useInstant, useNow } from "./zone.tsx";

const SIGN_IN = "/.auth/login/aad?post_login_redirect_uri=/console";
/** What is there sooner needs no sign that it is awaited. */
const SHOWN_AFTER_MS = 300;

export function Loading() {
  const [isShown, show] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => show(true), SHOWN_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return <div className="loading">{isShown && <Spinner label={TEXT.loading} />}</div>;
}

/** Of what was asked for, beside its button. */
export function Progress({ isBusy }: { readonly isBusy: boolean }) {
  const [isShown, show] = useState(false);
  useEffect(() => {
    if (!isBusy) return show(false);
    const timer = setTimeout(() => show(true), SHOWN_AFTER_MS);
    return () => clearTimeout(timer);
  }, [isBusy]);
  return (
    <div role="status" className="progress">
      {isShown && <Spinner size="tiny" label={TEXT.working} />}
    </div>
  );
}

interface NoticeProps {
  readonly title: string;
  readonly kind?: "plain" | "good" | "bad";
  readonly children?: ReactNode;
}

/** Whether what is shown is from a recent answer, and the last request was answered. */
const Current = createContext(true);

/** In the place of a view's content. Of an old answer it says nothing good. */
export function Notice({ title, kind: wanted = "plain", children }: NoticeProps) {
  const isCurrent = useContext(Current);
  const kind = wanted === "good" && !isCurrent ? "plain" : wanted;
  return (
    <section className={`notice notice-${kind}`} role={kind === "bad" ? "alert" : undefined}>
      <h2>{title}</h2>
      {kind !== wanted && <p>{TEXT.mayBeOld}</p>}
      {children}
    </section>
  );
}

export function Fault({ cause, retry }: { readonly cause: unknown; readonly retry?: (() => void) | undefined }) {
  const fault = cause instanceof ApiFault ? cause : new ApiFault("failed", 0, String(cause));
  const { title, advice } = FAULTS[fault.kind];
  return (
    <Notice title={title} kind="bad">
      {fault.message && (
        <p>
          <Said text={fault.message} />
        </p>
      )}
      {fault.faults.length > 0 && (
        <ul className="listed">
          {fault.faults.map((one) => (
            <li key={one}>{one}</li>
          ))}
        </ul>
      )}
      {advice && <p>{advice}</p>}
      {fault.kind === "signed-out" && <SignIn />}
      {retry && <Button onClick={retry}>{TEXT.tryAgain}</Button>}
    </Notice>
  );
}

function SignIn() {
  const refresh = useRefresh();
  const [key, setKey] = useState("");
  const apply = () => {
    keepFunctionKey(key);
    void refresh();
  };
  return (
    <form
      className="sign-in"
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <Button as="a" href={SIGN_IN} target="_blank" rel="noreferrer" appearance="primary">
        {TEXT.signIn}
      </Button>
      <Field label={TEXT.functionKey} hint={TEXT.functionKeyHint}>
        <Input type="password" value={key} autoComplete="off" onChange={(_, { value }) => setKey(value)} />
      </Field>
      <Button type="submit" disabled={key === ""}>
        {TEXT.useKey}
      </Button>
    </form>
  );
}

const TICK_MS = 10_000;

interface LoadedProps<T> {
  /** For a part of a view that says it already. */
  readonly hidesAge?: boolean;
  /** How often it is asked for again. */
  readonly everyMs?: number;
  readonly query: Pick<UseQueryResult<T>, "data" | "error" | "refetch" | "dataUpdatedAt">;
  readonly children: (data: T) => ReactNode;
}

/** The data, however old, with what went wrong since; or why there is none. */
export function Loaded<T>({
  hidesAge = false,
  everyMs,
  query: { data, error, refetch, dataUpdatedAt },
  children,
}: LoadedProps<T>) {
  useNow(TICK_MS);
  if (data === undefined) return error ? <Fault cause={error} retry={() => void refetch()} /> : <Loading />;
  return (
    <>
      {error && <Fault cause={error} retry={() => void refetch()} />}
      <Current value={!error && isRecent(dataUpdatedAt)}>{children(data)}</Current>
      {!hidesAge && <AsOf at={asOfIn(data) ?? new Date(inAppTime(dataUpdatedAt)).toISOString()} everyMs={everyMs} />}
    </>
  );
}

/** When what it says was so: the app may have kept it for a while. */
const asOfIn = (data: unknown): string | undefined => (Object(data) as { readonly asOf?: string }).asOf;

interface SectionProps<T> {
  readonly id: string;
  readonly title: string;
  readonly query: Pick<UseQueryResult<T>, "data" | "error" | "refetch">;
  /** Null if the data has nothing to show: then the section has no place. */
  readonly children: (data: T) => ReactNode;
}

/** A part of a view with its own query: without an answer it stays, and its content is called unknown. */
export function Section<T>({ id, title, query: { data, error, refetch }, children }: SectionProps<T>) {
  const content = data === undefined ? null : children(data);
  if (content === null && !error) return null;
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {error && (
        <p className="fault" role="alert">
          {content === null ? TEXT.unknown(title) : TEXT.outOfDate}{" "}
          {FAULTS[error instanceof ApiFault ? error.kind : "failed"].title}.{" "}
          <Button size="small" onClick={() => void refetch()}>
            {TEXT.tryAgain}
          </Button>
        </p>
      )}
      {content}
    </section>
  );
}

interface UnknownProps {
  readonly words: string;
  readonly cause: unknown;
  readonly retry?: () => void;
}

/** What stands beside other data, and is not known: one line. */
export function Unknown({ words, cause, retry }: UnknownProps) {
  const { title } = FAULTS[cause instanceof ApiFault ? cause.kind : "failed"];
  return (
    <p className="fault" role="alert">
      {words} {title}.{" "}
      {retry && (
        <Button size="small" onClick={retry}>
          {TEXT.tryAgain}
        </Button>
      )}
    </p>
  );
}

function AsOf({ at, everyMs }: { readonly at: string; readonly everyMs?: number | undefined }) {
  const words = useInstant();
  return (
    <p className="as-of">
      {[TEXT.asOf(words(at)), everyMs && TEXT.readAgain(everyMs / 1000)].filter(Boolean).join(". ")}
    </p>
  );
}

// The frame of every view: which environment this is, who is signed in, the views, and the zone of all times.

import { lazy, type ReactNode, Suspense, useEffect, useRef } from "react";
import { Link, Route, Switch, useLocation } from "wouter";
import type { Session } from "./api/contract.ts";
import { useSession } from "./api/queries.ts";
import { Boundary } from "./parts/boundary.tsx";
import { Button, Select } from "./parts/fluent.ts";
import { Loading } from "./parts/notices.tsx";
import { Page } from "./parts/page.tsx";
import { PausedNotices } from "./parts/paused.tsx";
import { Shortcuts } from "./parts/shortcuts.tsx";
import { useZone } from "./parts/zone.tsx";
import { AttentionView } from "./views/attention.tsx";
import { TEXT } from "./words/frame.ts";

const JobView = lazy(async () => ({ default: (await import("./views/job.tsx")).JobView }));
const OverviewView = lazy(async () => ({ default: (await import("./views/overview.tsx")).OverviewView }));
const SearchView = lazy(async () => ({ default: (await import("./views/search.tsx")).SearchView }));
const SupervisionView = lazy(async () => ({ default: (await import("./views/supervision.tsx")).SupervisionView }));
const DeadLettersView = lazy(async () => ({ default: (await import("./views/dead-letters.tsx")).DeadLettersView }));
const DeadLetterView = lazy(async () => ({ default: (await import("./views/dead-letter.tsx")).DeadLetterView }));
const DiscardedView = lazy(async () => ({ default: (await import("./views/discarded.tsx")).DiscardedView }));
const DiscardedMessageView = lazy(async () => ({
  default: (await import("./views/discarded.tsx")).DiscardedMessageView,
}));
const AwaitingView = lazy(async () => ({ default: (await import("./views/awaiting.tsx")).AwaitingView }));
const AgentsView = lazy(async () => ({ default: (await import("./views/agents.tsx")).AgentsView }));
const BulkRunsView = lazy(async () => ({ default: (await import("./views/bulk-runs.tsx")).BulkRunsView }));
const BulkView = lazy(async () => ({ default: (await import("./views/bulk.tsx")).BulkView }));

const VIEWS = [
  { path: "/", name: TEXT.attention, key: "n" },
  { path: "/overview", name: TEXT.overview, key: "o" },
  { path: "/search", name: TEXT.search, key: "s" },
  { path: "/dead-letters", name: TEXT.deadLetters, key: "d" },
  { path: "/agents", name: TEXT.agents, key: "a" },
  { path: "/supervision", name: TEXT.supervision, key: "v" },
] as const;

/** Views that belong to another one. */
const PARTS: { readonly [view: string]: string } = { discarded: "dead-letters", awaiting: "" };

export function App() {
  const [path] = useLocation();
  const shown = useRef(path);
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    // Who goes to another view by keyboard goes on there, and who listens to the page learns where it is.
    if (shown.current !== path) main.current?.focus();
    shown.current = path;
  }, [path]);
  const { data: session, error } = useSession();
  const { view, id, current } = useView();
  const name = id ?? current ?? TEXT.console;
  return (
    <Page>
      <a className="skip" href="#main">
        {TEXT.skip}
      </a>
      <Header session={session} view={view} name={id ?? current} />
      {session && session.build !== __BUILD__ && <NewVersion />}
      {error ? (
        <div className="paused" role="alert">
          {TEXT.sessionUnknown}
        </div>
      ) : (
        <PausedNotices pauses={session?.pauses} />
      )}
      <main id="main" ref={main} tabIndex={-1}>
        <Boundary key={path} heading={name}>
          <Suspense
            fallback={
              <>
                <h1>{name}</h1>
                <Loading />
              </>
            }
          >
            <Switch>
              <Route path="/">
                <AttentionView />
              </Route>
              <Route path="/overview">
                <OverviewView />
              </Route>
              <Route path="/search">
                <SearchView />
              </Route>
              <Route path="/supervision">
                <SupervisionView />
              </Route>
              <Route path="/awaiting">
                <AwaitingView />
              </Route>
              <Route path="/agents">
                <AgentsView />
              </Route>
              <Route path="/jobs/:jobId">{({ jobId }) => <JobView key={jobId} jobId={jobId} />}</Route>
              <Route path="/bulk">
                <BulkRunsView />
              </Route>
              <Route path="/bulk/:bulkId">{({ bulkId }) => <BulkView key={bulkId} bulkId={bulkId} />}</Route>
              <Route path="/dead-letters/:queue/:number">
                {({ queue, number }) => <DeadLetterView queue={queue} sequenceNumber={number} />}
              </Route>
              <Route path="/discarded/:id">{({ id }) => <DiscardedMessageView key={id} id={id} />}</Route>
              <Route path="/discarded">
                <DiscardedView />
              </Route>
              <Route path="/dead-letters/:queue?">{({ queue }) => <DeadLettersView queue={queue} />}</Route>
              <Route>
                <h1>{TEXT.noPage}</h1>
                <p>
                  <Link href="/">{TEXT.attention}</Link>
                </p>
              </Route>
            </Switch>
          </Suspense>
        </Boundary>
      </main>
      <footer>
        {/* Not a view of the console: a page of its own. */}
        <a href="/console/simulator">{TEXT.simulator}</a>
      </footer>
    </Page>
  );
}

/** The view that is shown, and what it is about. */
function useView() {
  const [location] = useLocation();
  const [asked = "", id] = location.split("/").slice(1);
  const view = PARTS[asked] ?? asked;
  const current =
    VIEWS.find(({ path }) => path === `/${view}`)?.name ?? (["jobs", "bulk"].includes(view) ? null : TEXT.noPage);
  return { view, id, current };
}

interface HeaderProps {
  readonly session: Session | undefined;
  readonly view: string;
  /** Of several open jobs each tab has its own. */
  readonly name: string | null;
}

function Header({ session, view, name }: HeaderProps) {
  // What the app calls a job comes with the session.
  const title = session ? TEXT.title : TEXT.console;
  useEffect(() => {
    document.title = [name, session?.environment, title].filter(Boolean).join(" · ");
  }, [name, session, title]);
  return (
    <header className="top">
      <div className="who">
        <strong>{title}</strong>
        {session && <span className="environment">{session.environment}</span>}
        <span className="space" />
        {session && <span className="operator">{TEXT.operator(session.operator)}</span>}
        <Shortcuts shortcuts={VIEWS} />
        <Zone />
      </div>
      <nav aria-label={TEXT.views}>
        {VIEWS.map(({ path, name }) => (
          <NavigationLink key={path} path={path} isCurrent={path === `/${view}`}>
            {name}
          </NavigationLink>
        ))}
      </nav>
    </header>
  );
}

interface NavigationLinkProps {
  readonly path: string;
  readonly isCurrent: boolean;
  readonly children: ReactNode;
}

function NavigationLink({ path, isCurrent, children }: NavigationLinkProps) {
  return (
    <Link href={path} aria-current={isCurrent ? "page" : undefined}>
      {children}
    </Link>
  );
}

function Zone() {
  const { zone, own, choose } = useZone();
  return (
    <div className="zone">
      <label htmlFor="zone">{TEXT.zone}</label>
      <Select id="zone" size="small" value={zone} onChange={(_, { value }) => choose(value)}>
        <option value={own}>{TEXT.localZone(own)}</option>
        {own !== "UTC" && <option value="UTC">UTC</option>}
      </Select>
    </div>
  );
}

function NewVersion() {
  return (
    <div className="new-version" role="status">
      {TEXT.newVersion} <Button onClick={() => location.reload()}>{TEXT.reload}</Button>
    </div>
  );
}

// The operators' console: starts the page.
import { QueryClientProvider } from "@tanstack/react-query";
import { createRoot } from "react-dom/client";
import { Router } from "wouter";
import { createQueryClient } from "./api/queries.ts";
import { App } from "./app.tsx";
import { Boundary } from "./parts/boundary.tsx";
import { Page } from "./parts/page.tsx";
import { ZoneProvider } from "./parts/zone.tsx";
import { TEXT } from "./words/frame.ts";
import "./styles/frame.css";
import "./styles/lists.css";
import "./styles/badges.css";
import "./styles/job.css";
import "./styles/forms.css";
import "./styles/narrow.css";

const root = document.getElementById("root");
if (!root) throw new Error("the page has no place for the console");
createRoot(root).render(
  <QueryClientProvider client={createQueryClient()}>
    <ZoneProvider>
      <Router base="/console">
        <Boundary
          heading={TEXT.console}
          frame={(fallback) => (
            <Page>
              <main>{fallback}</main>
            </Page>
          )}
        >
          <App />
        </Boundary>
      </Router>
    </ZoneProvider>
  </QueryClientProvider>,
);

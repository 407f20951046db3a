import { describe, expect, test } from "vitest";
import { isOpen, needsPerson } from "./bulk-troubles.ts";

const NOW = Date.parse("2026-01-01T12:00:00.000Z");
const HOUR = "2026-01-01T11:00:00.000Z";
const MINUTE = "2026-01-01T11:59:00.000Z";
const JUST_NOW = "2026-01-01T11:59:30.000Z";

describe("an action on many jobs", () => {
  test.each([
    ["goes on", { state: "running", updatedAt: HOUR, progressAt: JUST_NOW }, true, false],
    ["has made no progress for a minute", { state: "running", updatedAt: HOUR, progressAt: MINUTE }, true, true],
    ["was begun a minute ago, and nothing followed", { state: "running", updatedAt: MINUTE }, true, true],
    ["is paused, for however long", { state: "paused", updatedAt: "2025-12-01T00:00:00.000Z" }, true, true],
    ["has just stopped by itself", { state: "stopped", updatedAt: JUST_NOW }, true, true],
    ["stopped an hour ago", { state: "stopped", updatedAt: HOUR }, false, false],
    ["was never begun", { state: "previewed", updatedAt: JUST_NOW }, false, false],
    ["was cancelled", { state: "cancelled", updatedAt: JUST_NOW }, false, false],
    ["is done", { state: "done", updatedAt: JUST_NOW }, false, false],
  ] as const)("that %s", (_, run, open, person) => {
    expect([isOpen(run, NOW), needsPerson(run, NOW)]).toEqual([open, person]);
  });
});

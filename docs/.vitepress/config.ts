// The site of docs/: one sidebar in reading order, search on this machine, nothing loaded from elsewhere.
import { defineConfig } from "vitepress";
import { anchorOf, sections } from "../../cli/docs/pages.ts";
import { pictureOf } from "./mermaid.ts";
import { withoutLinksOutside } from "./outside-links.ts";

// biome-ignore lint/style/noDefaultExport: VitePress reads the default export.
export default defineConfig({
  title: "Scheduler Agent Supervisor",
  description: "The Scheduler Agent Supervisor pattern on Azure Functions",
  lang: "en",
  cleanUrls: false,
  cacheDir: "../node_modules/.cache/vitepress",
  // Links are checked by tests/rules/links.test.ts, on the files themselves.
  ignoreDeadLinks: true,
  // They are parts of pages: cli/docs/tables.ts.
  srcExclude: ["reference/tables/**"],
  markdown: {
    anchor: { slugify: anchorOf },
    config: (md) => {
      withoutLinksOutside(md);
      const fence = md.renderer.rules.fence;
      md.renderer.rules.fence = (tokens, index, ...rest) => {
        const { info = "", content = "" } = tokens[index] ?? {};
        return info.trim() === "mermaid" ? pictureOf(content) : (fence?.(tokens, index, ...rest) ?? "");
      };
      // VitePress styles fenced code only.
      md.renderer.rules.code_block = (tokens, index, ...rest) => {
        const token = tokens[index];
        if (token) token.info = "txt";
        return fence?.(tokens, index, ...rest) ?? "";
      };
    },
  },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    sidebar: sections().map(({ title, pages }) => ({
      text: title,
      collapsed: title === "Decisions",
      items: pages.map(({ title: name, path }) => ({
        text: path === "index" ? "Overview" : name,
        link: `/${path === "index" ? "" : path}`,
      })),
    })),
  },
});

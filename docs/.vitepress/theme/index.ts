// VitePress's own theme, with wide tables and pictures that scroll inside the page.
import theme from "vitepress/theme";
import "./style.css";

// biome-ignore lint/style/noDefaultExport: VitePress reads the default export.
export default theme;

// What the build defines, and what it imports beside code.
declare const __BUILD__: string;

declare module "*.css" {}

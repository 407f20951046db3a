// The elements of Fluent UI that the console uses. Each part is a package of its own: all of them together weigh five times as much.
export { Button } from "@fluentui/react-button";
export { Checkbox } from "@fluentui/react-checkbox";
export { Field } from "@fluentui/react-field";
export { Input } from "@fluentui/react-input";
export { ProgressBar } from "@fluentui/react-progress";
export { FluentProvider } from "@fluentui/react-provider";
export { Select } from "@fluentui/react-select";
export { Spinner } from "@fluentui/react-spinner";
export { Textarea } from "@fluentui/react-textarea";
export { webDarkTheme, webLightTheme } from "@fluentui/react-theme";

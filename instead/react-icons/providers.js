// What Fluent UI's provider sets for icons: whether they are mirrored. These nine never are.
import { createContext } from "react";

export const IconDirectionContextProvider = createContext(undefined).Provider;

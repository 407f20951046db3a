// What can't be drawn says so: the page without it would look as if nothing stood there.

import { Component, type ReactNode } from "react";
import { TEXT } from "../words/frame.ts";
import { Button } from "./fluent.ts";
import { Notice } from "./notices.tsx";

interface BoundaryProps {
  /** The first heading of the page: what could not be drawn had one. */
  readonly heading: string;
  /** The page around it, where nothing else is drawn. */
  readonly frame?: (fallback: ReactNode) => ReactNode;
  readonly children: ReactNode;
}

interface BoundaryState {
  readonly fault?: string;
}

/** A part of the page that is not there any more after a deployment, and an answer of another shape than this version knows. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = {};

  static getDerivedStateFromError(cause: unknown): BoundaryState {
    return { fault: cause instanceof Error ? cause.message : String(cause) };
  }

  override render(): ReactNode {
    const { fault } = this.state;
    const { heading, frame = (fallback) => fallback, children } = this.props;
    if (fault === undefined) return children;
    return frame(
      <>
        <h1>{heading}</h1>
        <Notice title={TEXT.notDrawn} kind="bad">
          <p>{TEXT.notDrawnAbout}</p>
          <p className="message">{fault}</p>
          <Button onClick={() => location.reload()}>{TEXT.reload}</Button>
        </Notice>
      </>,
    );
  }
}

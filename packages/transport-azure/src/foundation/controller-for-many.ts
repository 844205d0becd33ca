import { setMaxListeners } from "node:events";

/** A controller whose signal many may listen to: of the eleventh listener the platform would warn. */
export function controllerForMany(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

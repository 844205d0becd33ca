import { setMaxListeners } from "node:events";

/** A controller whose signal may have many listeners; Node.js warns from the eleventh on. */
export function controllerForMany(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

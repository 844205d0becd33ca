/** The name of the method whose result `console.log` prints instead of an object. Source: Node's `util.inspect.custom`. */
export const inspected: unique symbol = Symbol.for("nodejs.util.inspect.custom");

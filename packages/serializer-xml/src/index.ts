export type { XmlBody, XmlBodySchema, XmlOptions } from "./xml-serializer.js";
export { xml } from "./xml-serializer.js";

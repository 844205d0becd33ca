export { type XmlBody, type XmlBodySchema, type XmlOptions, xml } from "./xml-serializer.js";

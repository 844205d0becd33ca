const serialization = "http://schemas.microsoft.com/2003/10/Serialization/";

/** The namespaces that have a meaning for DataContractSerializer. */
export const Namespaces = Object.freeze({
  serialization,
  arrays: `${serialization}Arrays`,
  instance: "http://www.w3.org/2001/XMLSchema-instance",
  schema: "http://www.w3.org/2001/XMLSchema",
  /** The default namespace of contracts, followed by their CLR namespace. */
  contracts: "http://schemas.datacontract.org/2004/07/",
  /** The rows of a `DataSet` or `DataTable`. */
  rows: "urn:schemas-microsoft-com:xml-diffgram-v1",
  system: "http://schemas.datacontract.org/2004/07/System",
} as const);

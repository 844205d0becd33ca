import type { Contract, ContractSchema } from "../model/contract.js";
import { contractSchemaOf } from "../model/contract-of.js";

/**
 * Returns a function that gives contracts the same object for the same schema, so that what is made of a schema, such as its compiled check, is made once
 * for all revisions that have it.
 */
export function schemaSharing(): (contract: Contract) => Contract {
  const known = new Map<string, ContractSchema>();
  const shared = (schema: ContractSchema): ContractSchema => {
    // A file may have been changed by hand, and its fingerprint not.
    const own = contractSchemaOf({ language: schema.language, schema: schema.schema });
    const key = `${own.language} ${own.fingerprint}`;
    const first = known.get(key) ?? own;
    known.set(key, first);
    return first;
  };
  return (contract) => ({
    ...contract,
    messageTypes: contract.messageTypes.map((type) => ({
      ...type,
      versions: type.versions.map(({ body, schemas, ...version }) => ({
        ...version,
        ...(body === undefined ? {} : { body: shared(body) }),
        schemas: Object.fromEntries(Object.entries(schemas).map(([name, each]) => [name, shared(each)])),
      })),
    })),
  });
}

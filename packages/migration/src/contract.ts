/** Contracts: what a service writes and reads, kept in a file, and compared before a change is deployed. */

export { fromAsyncApi } from "./contract/asyncapi/from-asyncapi.js";
export { type AsyncApiOptions, toAsyncApi } from "./contract/asyncapi/to-asyncapi.js";
export {
  type CheckContractOptions,
  type CompatibilityMode,
  type CompatibilityVerdict,
  type ContractCheck,
  type ContractFinding,
  checkContract,
  type NamedContract,
} from "./contract/check/check-contract.js";
export {
  type RegistryContractsOptions,
  registryContracts,
  type SchemaVersion,
  type SchemaVersions,
} from "./contract/check/registry-contracts.js";
export type { Counterexample, Trial } from "./contract/check/try-form.js";
export { type CanDeployOptions, canDeploy, type DeploymentAnswer } from "./contract/deployment/can-deploy.js";
export {
  type ContractBlob,
  type ContractContainer,
  contractsInContainer,
  writeToContainer,
} from "./contract/deployment/contract-container.js";
export {
  type DeploymentPlan,
  type DeploymentStep,
  planAsMermaid,
  planDeployment,
} from "./contract/deployment/plan-deployment.js";
export { typeDeclarations } from "./contract/generate/type-declarations.js";
export type {
  Contract,
  ContractChain,
  ContractEntities,
  ContractSchema,
  ContractSerializer,
  ContractType,
  ContractVersion,
  WrittenForm,
} from "./contract/model/contract.js";
export { type ContractOptions, contractOf } from "./contract/model/contract-of.js";
export { formatContract, parseContract } from "./contract/model/contract-text.js";
export { type DescribedFinding, describeFinding } from "./contract/report/describe-finding.js";
export { toGitHubAnnotations } from "./contract/report/github-annotations.js";
export { goldenCounterexample } from "./contract/report/golden-counterexample.js";
export { toSarif } from "./contract/report/to-sarif.js";
export type { Obstacle } from "./contract/structure/obstacle.js";

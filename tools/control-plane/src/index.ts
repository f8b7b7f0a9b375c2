export { obtainDefaultRules, type Rule, type RuleGroup } from './monitoring/default-rules.ts';
export { buildPart, builtBinaryPath, builtPartFiles } from './parts/build-part.ts';
export { canHaveParts } from './parts/can-have-parts.ts';
export { findPart } from './parts/find-part.ts';
export { freePorts } from './parts/free-ports.ts';
export { obtainPart, PartUnavailableError } from './parts/obtain-part.ts';
export { type PartSwitch, partSwitch } from './parts/part-switch.ts';
export { PART_NAMES, type PartName, partVersion } from './parts/parts.ts';
export { type RunningPart, type StartPartOptions, startPart } from './parts/start-part.ts';
export { type OwnedDirectory, openOwnedDirectory } from './running/owned-directory.ts';
export { applyObject, objectPath, waitUntilServed } from './server/apply-object.ts';
export { type ApiCall, AuditLog, type CallFilter } from './server/audit-log.ts';
export { createCertificates } from './server/certificates.ts';
export { type ControlPlane, type ControlPlaneOptions, startControlPlane } from './server/control-plane.ts';
export {
	APPLY,
	KubeApi,
	KubeApiError,
	type KubeMethod,
	type KubeObject,
	type KubeRequest,
	type KubeResponse,
	MERGE_PATCH,
} from './server/kube-api.ts';
export { kubeconfigText } from './server/kubeconfig.ts';
export { type StoredChange, StoredHistory } from './server/stored-history.ts';
export { OUTCOMES, type PodOutcome, type PodPlay, podAnnotations } from './tekton/pod-outcomes.ts';
export { obtainTekton, startTekton, TEKTON_PLATFORM } from './tekton/start-tekton.ts';

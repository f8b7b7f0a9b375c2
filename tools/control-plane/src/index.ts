export type { ApiServerSwitch } from './api-server-switch.ts';
export { type ApiCall, AuditLog, type CallFilter } from './audit-log.ts';
export { createCertificates } from './certificates.ts';
export { type ControlPlane, type ControlPlaneOptions, startControlPlane } from './control-plane.ts';
export { freePorts } from './free-ports.ts';
export {
	APPLY,
	KubeApi,
	KubeApiError,
	type KubeMethod,
	type KubeObject,
	type KubeRequest,
	type KubeResponse,
	MERGE_PATCH,
} from './kube-api.ts';
export { kubeconfigText } from './kubeconfig.ts';
export { obtainPart, PartUnavailableError } from './obtain-part.ts';
export { type OwnedDirectory, openOwnedDirectory } from './owned-directory.ts';
export { PART_NAMES, type PartName } from './parts.ts';
export { type RunningPart, type StartPartOptions, startPart } from './start-part.ts';

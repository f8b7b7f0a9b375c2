export { type AdmissionGate, type HeldRequest, startAdmissionGate } from './admission-gate.ts';
export { APPS, type AppName, type AppOptions, type AppProcess, appBundle, startApp } from './app-process.ts';
export { applyCrds, applyObject, readManifests } from './apply.ts';
export { shiftedClock } from './clock-shift.ts';
export { describeAppConformance } from './conformance/app-conformance.ts';
export { describeKubeConformance, type KubeModule } from './conformance/kube-conformance.ts';
export { describeRights, type RightsScenario, type RightsStage } from './conformance/rights-conformance.ts';
export { type DistantApiServer, startDistantApiServer } from './distant-api-server.ts';
export { type LaterApiServer, startLaterApiServer } from './later-api-server.ts';
export { scratchDirectory } from './scratch.ts';
export {
	appKubeconfig,
	executionNamespaceOf,
	serviceAccountKubeconfig,
	serviceAccountToken,
} from './service-account.ts';
export type { SharedControlPlane } from './set-up/shared-control-plane.ts';
export { type Relay, startRelay } from './switchable-relay.ts';
export { adminApi, atTheEnd, auditLog, createNamespace } from './test-cluster.ts';
export { openUnreadPipe, type UnreadPipe } from './unread-pipe.ts';
